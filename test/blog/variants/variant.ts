import { type DescService, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { ServiceAdapter } from "connect-rest-runtime";
import { expect, test } from "vitest";
import { type Answer, type Answers, start } from "../../rules/world.ts";

/**
 * What another server of the same reference may respond with, and the whole of what is read from it,
 * as ProtoJSON.
 */
export type Variant<S extends DescService> = readonly [
  name: string,
  call: (api: Client<S>) => Promise<Message>,
  answer: Answer,
  expected: JsonValue,
];

export const demo = { blogIdentifier: "demo" };

/** A response in the envelope. */
export const answered = (response: unknown, status = 200) => ({
  status,
  json: { meta: { status, msg: "OK" }, response },
});

/** The same with JSON as it is written. */
export const written = (response: string) => ({
  body: `{"meta":{"status":200,"msg":"OK"},"response":${response}}`,
});

/** A client of a server that responds so, whatever it is asked. The credentials are the caller's own. */
export async function serverOf<S extends DescService>(service: S, adapter: ServiceAdapter, answers: Answers) {
  const { client, seen } = await start(service, adapter, answers, {
    // some variants lose a value, and say so
    strict: false,
    upstream: { credentials: () => ({ oauth2: { accessToken: "token" } }), retry: false, breaker: false },
  });
  return { api: client, seen };
}

/** Every variant is read as expected, with nothing beside that. */
export function readVariants<S extends DescService>(
  service: S,
  adapter: ServiceAdapter,
  variants: ReadonlyArray<Variant<S>>,
): void {
  test.each(variants)("%s", async (_, call, answer, expected) => {
    const { api } = await serverOf(service, adapter, answer);
    const message = await call(api);
    const output = service.methods.find(({ output }) => output.typeName === message.$typeName)?.output;
    if (output === undefined) throw new Error(`no method answers with ${message.$typeName}`);
    expect(toJson(output, message)).toEqual(expected);
  });
}
