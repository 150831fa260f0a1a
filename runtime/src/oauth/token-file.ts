import {
  type Clock,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  systemClock,
} from "connect-rest-codec/internal";
import type { TokenStore } from "../credentials/oauth2-grant.ts";
import { restError } from "../errors/rest-error.ts";
import { withFileLock } from "../private-file/file-lock.ts";
import { readPrivateFile, writePrivateFile } from "../private-file/private-file.ts";
import { Secret } from "../text/secret.ts";
import type { Tokens } from "../token-endpoint/tokens.ts";

/** An entry of the file. */
export interface TokenEntry {
  /** The tokens. Absent while nobody is signed in. */
  readonly tokens?: Tokens | undefined;
  /** Further properties of the sign-in. They are not secret, except `clientSecret`. */
  readonly details: Readonly<Record<string, string>>;
}

/** The maximum number of entries. Each server with a sign-in has one entry. */
const MAX_ENTRIES = 1000;

const VERSION = 1;

/**
 * A file of tokens with mode 0600. Each write replaces the whole file, and only one process changes it at a
 * time, so readers see the file as it was before or after a change.
 */
export class TokenFile {
  /** The path of the file. */
  readonly path: string;
  private readonly clock: Clock;

  constructor(path: string, clock: Clock = systemClock) {
    this.path = path;
    this.clock = clock;
  }

  /**
   * Returns all entries by name.
   *
   * @throws ConnectError reason TOKEN_FILE_REFUSED if others may read the file, or if it belongs to another
   *   user
   */
  async entries(): Promise<ReadonlyMap<string, TokenEntry>> {
    const text = await readPrivateFile(this.path);
    return text === undefined ? new Map() : this.parse(text);
  }

  /** Returns an entry, or undefined if there is none. */
  async entry(name: string): Promise<TokenEntry | undefined> {
    return (await this.entries()).get(name);
  }

  /**
   * Changes one entry under a lock. If the function throws, the file stays unchanged.
   *
   * @param change receives the current entry, and returns the new entry, or undefined to remove the entry
   * @throws ConnectError reason TOKEN_FILE_REFUSED or TOKEN_FILE_LOCKED
   */
  async update<T extends TokenEntry | undefined>(
    name: string,
    change: (entry: TokenEntry | undefined) => Promise<T> | T,
  ): Promise<T> {
    return await withFileLock(this.path, this.clock, async (isHeld) => {
      const before = await this.entry(name);
      const next = await change(before);
      if (next === before) return next;
      // another process may have written the file because this process lost the lock; keep the entries of
      // that process
      const entries = new Map(await this.entries());
      if (!(await isHeld())) {
        throw restError("TOKEN_FILE_LOCKED", { file: this.path, limit: "longer than it was ours" });
      }
      entries.delete(name);
      if (next !== undefined) entries.set(name, next);
      await this.write(entries);
      return next;
    });
  }

  private async write(entries: ReadonlyMap<string, TokenEntry>): Promise<void> {
    if (entries.size > MAX_ENTRIES) throw this.rejected(`it has more than ${MAX_ENTRIES} entries`);
    const all = Object.fromEntries([...entries].map(([name, entry]) => [name, entryJson(entry)]));
    const text = `${JSON.stringify({ version: VERSION, entries: all }, null, 2)}\n`;
    await writePrivateFile(this.path, text, this.clock);
  }

  private parse(text: string): ReadonlyMap<string, TokenEntry> {
    let value: JsonValue;
    try {
      value = JSON.parse(text);
    } catch {
      // the error of JSON.parse would quote the content
      throw this.rejected("it is not JSON");
    }
    if (!isJsonObject(value) || value.version !== VERSION || !isJsonObject(value.entries)) {
      throw this.rejected("it is no file of tokens of this version");
    }
    return new Map(Object.entries(value.entries).map(([name, entry]) => [name, this.entryOf(name, entry)]));
  }

  private entryOf(name: string, value: JsonValue | undefined): TokenEntry {
    if (!isJsonObject(value) || !isJsonObject(value.details)) {
      throw this.rejected(`its entry ${name} is broken`);
    }
    const details = Object.entries(value.details).filter((pair): pair is [string, string] => {
      return typeof pair[1] === "string";
    });
    const { tokens } = value;
    return {
      details: Object.fromEntries(details),
      tokens: isJsonObject(tokens) ? this.tokensOf(name, tokens) : undefined,
    };
  }

  private tokensOf(name: string, value: JsonObject): Tokens {
    const { access_token: access, refresh_token: refresh, expires_at: expiresAt, scope } = value;
    if (typeof access !== "string") throw this.rejected(`its entry ${name} is broken`);
    return {
      accessToken: new Secret(access),
      refreshToken: typeof refresh === "string" ? new Secret(refresh) : undefined,
      expiresAt: typeof expiresAt === "number" ? expiresAt : undefined,
      scope: typeof scope === "string" ? scope : undefined,
    };
  }

  private rejected(problem: string) {
    return restError("TOKEN_FILE_REFUSED", { file: this.path, problem });
  }
}

function entryJson({ tokens, details }: TokenEntry): object {
  if (tokens === undefined) return { details };
  const { accessToken, refreshToken, expiresAt, scope } = tokens;
  return {
    details,
    tokens: {
      access_token: accessToken.reveal(),
      refresh_token: refreshToken?.reveal(),
      expires_at: expiresAt,
      scope,
    },
  };
}

/**
 * Returns a `store` for an upstream's credentials that keeps the tokens in one entry of a file.
 *
 * @param options whether an entry that the user removed stays removed. Default: the entry is created again
 */
export function tokenStore(
  file: TokenFile,
  name: string,
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): TokenStore {
  return {
    name: `${file.path}#${name}`,
    update: async (refresh: (kept: Tokens | undefined) => Promise<Tokens>): Promise<Tokens> => {
      let refreshed: Tokens | undefined;
      await file.update(name, async (entry) => {
        if (mustExist && entry === undefined) throw new Error(`${file.path} has no entry ${name} any more`);
        refreshed = await refresh(entry?.tokens);
        return refreshed === entry?.tokens ? entry : { details: entry?.details ?? {}, tokens: refreshed };
      });
      if (refreshed === undefined) throw new Error("the refresh brought nothing");
      return refreshed;
    },
  };
}
