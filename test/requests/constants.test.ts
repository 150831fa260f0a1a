/** Tests constants and the API key parameter in requests that also have maps with caller-defined keys. */
import { create, type MessageShape } from "@bufbuild/protobuf";
import type { UnaryAdapter } from "connect-rest-runtime/adapter";
import fc from "fast-check";
import { expect, test } from "vitest";
import { HEAD } from "../generator-kit/compile.ts";
import { loadAdapters } from "./load-adapters.ts";

const RULES = 'parameters: [{name: "role" value: "guest"}, {name: "v" value: "2"}]';
const SOURCE = `${HEAD}
service S {
  option (connectrest.v1.service) = {api_key: {query: "key"} credentials: [API_KEY]};
  rpc Query(Req) returns (Res) {
    option (google.api.http) = {get: "/a"};
    option (connectrest.v1.method) = {${RULES}};
  }
  rpc Form(Req) returns (Res) {
    option (google.api.http) = {post: "/a" body: "*"};
    option (connectrest.v1.method) = {${RULES} request_encoding: FORM};
  }
}
message Req { map<string, string> m = 1 [(connectrest.v1.field).style = SPREAD]; }
message Res { string id = 1; }
`;

const { adapters } = await loadAdapters({ "a.proto": SOURCE });
const methods = adapters.get("S")?.methods ?? {};

test.each(["query", "form"])(
  "a map entry cannot replace a constant in the %s, or send an API key",
  (name) => {
    const adapter = methods[name] as UnaryAdapter;
    const keys = fc.constantFrom("role", "v", "key", "role[]", "v[0]", "roles", "vv", "keys", "other");
    fc.assert(
      fc.property(fc.dictionary(keys, fc.constantFrom("admin", "1")), (m) => {
        const message = create(adapter.method.input, { m } as never) as MessageShape<
          typeof adapter.method.input
        >;
        const { queryString, body } = adapter.request(message);
        const sent = `${queryString}&${body?.kind === "form" ? body.text : ""}`;
        const read = [...new URLSearchParams(sent)].filter(([key]) => key !== "");
        const others = Object.entries(m).filter(([key]) => ["roles", "vv", "keys", "other"].includes(key));
        expect(read.toSorted()).toEqual([["role", "guest"], ["v", "2"], ...others].toSorted());
      }),
    );
  },
);
