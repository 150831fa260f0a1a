import type Provider from "oidc-provider";

/**
 * The maximum number of keys of a self-registered client. Most clients have two: the current key and the next
 * key.
 */
const MAX_KEYS = 16;

/**
 * The members of a key that are stored (RFC 7517 section 4, RFC 7518 section 6), with their maximum lengths
 * in characters. The longest are an RSA modulus of 4096 bits and a public exponent of 32 bits. Longer values
 * would make verification slower.
 */
const MEMBERS: ReadonlyMap<string, number> = new Map([
  ["kty", 3],
  ["crv", 9],
  ["x", 88],
  ["y", 88],
  ["n", 683],
  ["e", 6],
  ["kid", 256],
  ["alg", 8],
  ["use", 3],
]);
const TYPES: ReadonlySet<unknown> = new Set(["RSA", "EC", "OKP"]);

type Key = Readonly<Record<string, unknown>>;

/** Returns the problem with the keys that a client registers; undefined if they are valid. */
export function problemOfKeys(jwks: unknown): string | undefined {
  const keys = keysIn(jwks);
  if (keys === undefined) return "jwks must be a JSON Web Key Set (RFC 7517)";
  if (keys.length > MAX_KEYS) return `jwks may have ${MAX_KEYS} keys`;
  if (keys.some(({ kty }) => !TYPES.has(kty))) return "jwks may have keys of RSA, EC and OKP";
  for (const [name, most] of MEMBERS) {
    const texts = keys.map((key) => key[name]).filter((value) => value !== undefined);
    if (texts.some((text) => typeof text !== "string" || text.length > most)) {
      return `${name} of a key in jwks must be a text of at most ${most} characters`;
    }
  }
  const ids = new Set(keys.map(({ kid }) => kid));
  return keys.length > 1 && (ids.size < keys.length || ids.has(undefined))
    ? "several keys in jwks must each have a kid of their own"
    : undefined;
}

/** Removes unused members from keys. Keeps private members, which make the engine reject the keys. */
export function withoutExtras(jwks: unknown): unknown {
  const isKept = (name: string) => MEMBERS.has(name) || PRIVATE.has(name);
  const keys = keysIn(jwks)?.map((key) =>
    Object.fromEntries(Object.entries(key).filter(([name]) => isKept(name))),
  );
  return keys && { keys };
}

const PRIVATE: ReadonlySet<string> = new Set(["d", "p", "q", "dp", "dq", "qi", "oth"]);

function keysIn(jwks: unknown): readonly Key[] | undefined {
  const { keys } = Object(jwks) as { readonly keys?: unknown };
  const isSet = Array.isArray(keys) && keys.every((key) => typeof key === "object" && key !== null);
  return isSet ? (keys as readonly Key[]) : undefined;
}

/** The keys of a client, as the engine selects them. The engine would try all selected keys. */
interface Keys {
  selectForVerify(of: object): readonly Key[];
}

/**
 * Verifies an assertion with a single key. If several keys match, the `kid` of the assertion must name one.
 */
export function checkOneSignature({ Client }: Provider): void {
  const find = Client.find.bind(Client);
  Client.find = async (id) => {
    const client = await find(id);
    const keys = (client as { readonly asymmetricKeyStore?: Keys } | undefined)?.asymmetricKeyStore;
    if (keys !== undefined && !Object.hasOwn(keys, "selectForVerify")) selectOne(keys);
    return client;
  };
}

function selectOne(keys: Keys): void {
  const select = keys.selectForVerify.bind(keys);
  keys.selectForVerify = (of) => {
    const fitting = select(of);
    return fitting.length > 1 ? [] : fitting;
  };
}
