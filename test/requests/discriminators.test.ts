/**
 * Tests requests in which a field writes the key of a oneof's discriminator: an upstream reads the message
 * that was sent, or the call fails with INVALID_ARGUMENT.
 */
import { create, type DescMessage, fromBinary, toJson } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { UnaryAdapter } from "connect-rest-runtime/adapter";
import fc from "fast-check";
import { expect, test } from "vitest";
import { HEAD } from "../generator-kit/compile.ts";
import { loadAdapters } from "./load-adapters.ts";

const LAYOUTS: Readonly<Record<string, string>> = {
  Flattened: "layout: FLATTENED",
  Nested: "layout: NESTED",
  Beside: 'layout: BESIDE, payload: "payload"',
  FlattenedRest: 'layout: FLATTENED, fallback: "rest"',
  BesideRest: 'layout: BESIDE, payload: "payload", fallback: "rest"',
};

/** The field that writes the discriminator's key, before or after the oneof. */
const FIELDS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  Before: ['string kind = 9 [(connectrest.v1.field).name = "type"];', ""],
  After: ["", 'string kind = 9 [(connectrest.v1.field).name = "type"];'],
};

const NAMES = Object.keys(LAYOUTS).flatMap((layout) =>
  Object.keys(FIELDS).map((field) => [layout, field] as const),
);

const loaded = await loadAdapters({
  "a.proto": `${HEAD}${NAMES.map(([layout, field]) => {
    const name = layout + field;
    const [before, after] = FIELDS[field] ?? ["", ""];
    return `service S${name} { rpc Send(M${name}) returns (M${name}) { option (google.api.http) = {post: "/a" body: "*"}; } }
message M${name} {
  ${before}
  oneof one {
    option (connectrest.v1.oneof) = {discriminator: "type", ${LAYOUTS[layout]}};
    Image image = 1 [(connectrest.v1.field).when = {values: ["image", "picture"]}];
    Text text = 2;
    Rest rest = 3;
  }
  ${after}
}`;
  }).join("\n")}
message Image { string url = 1; }
message Text { string body = 1; }
message Rest { string url = 1; string label = 2; }
`,
});

const TEXTS = fc.constantFrom("", "image", "picture", "text", "rest", "other");
const MESSAGES = fc.record({
  kind: TEXTS,
  one: fc.oneof(
    fc.record({ case: fc.constant("image"), value: fc.record({ url: TEXTS }) }),
    fc.record({ case: fc.constant("text"), value: fc.record({ body: TEXTS }) }),
    fc.record({ case: fc.constant("rest"), value: fc.record({ url: TEXTS, label: TEXTS }) }),
  ),
});

/** Returns the JSON body of a request, or undefined if the message is rejected. */
function bodyOf(adapter: UnaryAdapter<DescMessage, DescMessage>, message: unknown): string | undefined {
  try {
    const { body } = adapter.request(create(adapter.method.input, message as never));
    return body?.kind === "json" ? JSON.stringify(body.value) : "{}";
  } catch (error) {
    expect(ConnectError.from(error).code).toBe(Code.InvalidArgument);
    return undefined;
  }
}

test.each(NAMES)("property: a message is read as it was sent, or is rejected: %s, %s", (layout, field) => {
  const adapter = loaded.adapters.get(`S${layout}${field}`)?.methods.send as unknown as UnaryAdapter<
    DescMessage,
    DescMessage
  >;
  const desc = adapter.method.input;
  let sent = 0;
  fc.assert(
    fc.property(MESSAGES, (message) => {
      const body = bodyOf(adapter, message);
      if (body === undefined) return;
      sent++;
      const { message: bytes } = loaded.decoded(adapter as unknown as UnaryAdapter, Buffer.from(body));
      const read = fromBinary(desc, Buffer.from(bytes, "hex"));
      const { kind, ...others } = toJson(desc, read) as Record<string, unknown>;
      // a discriminator that the oneof writes is also read as the value of the field
      const isOwn = message.kind === "" || kind === undefined;
      expect([body, isOwn ? others : { ...others, kind }]).toEqual([
        body,
        toJson(desc, create(desc, message as never)),
      ]);
    }),
    { numRuns: 100 },
  );
  expect(sent).toBeGreaterThan(20);
});
