import { type DescService, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { ServiceAdapter } from "connect-rest-runtime";
import { expect, test } from "vitest";
import { type Answer, type Answers, start } from "../../rules/world.ts";

/** A response of another server with the same reference, and the expected result as ProtoJSON. */
export type Variant<S extends DescService> = readonly [
  name: string,
  call: (api: Client<S>) => Promise<Message>,
  answer: Answer,
  expected: JsonValue,
];

export const demo = { blogIdentifier: "demo" };

/** Returns a response in the envelope. */
export const answered = (response: unknown, status = 200) => ({
  status,
  json: { meta: { status, msg: "OK" }, response },
});

/** Returns a response with literal JSON in the envelope. */
export const written = (response: string) => ({
  body: `{"meta":{"status":200,"msg":"OK"},"response":${response}}`,
});

/** Returns a client of a server that always sends this response. The caller's credentials are used. */
export async function serverOf<S extends DescService>(service: S, adapter: ServiceAdapter, answers: Answers) {
  const { client, seen } = await start(service, adapter, answers, {
    // Some variants lose a value and report it.
    strict: false,
    upstream: { credentials: () => ({ oauth2: { accessToken: "token" } }), retry: false, breaker: false },
  });
  return { api: client, seen };
}

/** Checks that every variant is read as expected, without differences. */
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
