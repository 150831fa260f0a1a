import { headersOf } from "../credentials/pass-through.ts";
import { type Config, problemAt } from "./load.ts";
import { ConfigError, type Problem } from "./problems.ts";
import type { CredentialPlaces } from "./upstream-schema.ts";

/**
 * Checks that every credential has one source, and that no two upstreams use the same header.
 *
 * @returns the headers, in lower case
 * @throws ConfigError naming each conflict
 */
export function checkPassThrough(config: Config): string[] {
  const problems: Problem[] = [];
  const owners = new Map<string, string>();
  for (const [name, { credentials }] of Object.entries(config.upstreams)) {
    if (credentials?.passThrough === undefined) continue;
    const path = ["upstreams", name, "credentials", "passThrough"];
    const report = (text: string) => problems.push(problemAt(config, path, text));
    for (const text of contradictions(credentials)) report(text);
    for (const header of headersOf(credentials.passThrough)) {
      const owner = owners.get(header);
      if (owner !== undefined) report(sharedHeader(header, owner, name));
      owners.set(header, name);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return [...owners.keys()];
}

function contradictions({ apiKey, oauth1, oauth2, basic, passThrough }: CredentialPlaces): string[] {
  const texts: string[] = [];
  const both = (kind: string) => `${kind} is configured as well; it is either the gateway's or the caller's`;
  if (passThrough?.apiKey && apiKey) texts.push(both("apiKey"));
  if (passThrough?.oauth2 && oauth2) texts.push(both("oauth2"));
  if (passThrough?.basic && basic) texts.push(both("basic"));
  if (passThrough?.oauth1 && oauth1?.token) texts.push(both("oauth1.token"));
  if (passThrough?.oauth1 && oauth1 === undefined) {
    texts.push("oauth1 needs the client's own: set credentials.oauth1.consumerKey and consumerSecret");
  }
  return texts;
}

function sharedHeader(header: string, owner: string, name: string): string {
  if (owner === name) return `the header ${header} is named twice; each secret needs one of its own`;
  return `the header ${header} goes to the upstream ${owner} already; a caller's credentials go to one alone`;
}
