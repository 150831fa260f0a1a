import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** A certificate and its key, both in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority for tests, which only the tests trust. */
export interface Authority {
  /** The certificate of the authority in PEM. */
  readonly ca: string;
  /** Issues a certificate for servers and clients, for the given host names and 127.0.0.1. */
  issue(...names: readonly string[]): Certificate;
}

const OID = {
  ecdsaWithSha256: "06082a8648ce3d040302",
  commonName: "0603550403",
  subjectAltName: "0603551d11",
  basicConstraints: "0603551d13",
} as const;

const LOCALHOST = [127, 0, 0, 1];

/** Creates an authority. Its certificates (RFC 5280 section 4.1) are valid from 2020 to 2049. */
export function authority(name = `authority ${randomBytes(4).toString("hex")}`): Authority {
  const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
  // the only member of the extension marks the certificate as an authority
  const isAuthority = extension("basicConstraints", sequence(der(0x01, Buffer.from([0xff]))));
  const ca = certificate(name, name, own.publicKey, own.privateKey, isAuthority);
  return {
    ca,
    issue: (...names) => {
      const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const hosts = names.map((host) => der(0x82, Buffer.from(host)));
      const alternatives = extension("subjectAltName", sequence(...hosts, der(0x87, Buffer.from(LOCALHOST))));
      return {
        cert: certificate(name, names[0] ?? "nobody", publicKey, own.privateKey, alternatives),
        key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      };
    },
  };
}

function certificate(
  issuer: string,
  subject: string,
  publicKey: KeyObject,
  issuerKey: KeyObject,
  ...extensions: readonly Buffer[]
): string {
  const algorithm = sequence(oid("ecdsaWithSha256"));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    nameOf(issuer),
    sequence(der(0x17, Buffer.from("200101000000Z")), der(0x17, Buffer.from("491231235959Z"))),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", body, issuerKey)]);
  const lines = sequence(body, algorithm, der(0x03, signature))
    .toString("base64")
    .match(/.{1,64}/g);
  return ["-----BEGIN CERTIFICATE-----", ...(lines ?? []), "-----END CERTIFICATE-----", ""].join("\n");
}

function nameOf(name: string): Buffer {
  return sequence(der(0x31, sequence(oid("commonName"), der(0x0c, Buffer.from(name)))));
}

function extension(name: keyof typeof OID, value: Buffer): Buffer {
  return sequence(oid(name), der(0x04, value));
}

function oid(name: keyof typeof OID): Buffer {
  return Buffer.from(OID[name], "hex");
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

/** Encodes a tag, a length and a value (X.690 section 8.1). */
function der(tag: number, value: Buffer): Buffer {
  const { length } = value;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), value]);
}
