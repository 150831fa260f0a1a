import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { create, type DescField, getExtension, hasExtension } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { createRest, type Difference, reasonOf, type ServiceAdapter } from "connect-rest-runtime";
import { http } from "connect-rest-runtime/gen/google/api/annotations_pb.js";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  aliasesOf,
  CHANGED_VALUES,
  CHANGES,
  type Change,
  expectedOf,
  isTime,
  isTuple,
  rulesOf,
} from "./oracle.ts";
import { adaptersOf } from "./services.ts";
import { type Place, validObject } from "./valid-response.ts";

type Adapter = ServiceAdapter["methods"][string];
type Subject = Extract<Adapter, { kind: "unary" | "paginate" }>;

let body = "";
const server = createServer((_request, response) => {
  response.setHeader("content-type", "application/json");
  response.end(body);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => void server.close());

/** Methods whose responses are JSON objects, or pages of JSON objects. */
const SUBJECTS: readonly Subject[] = [...(await adaptersOf("gen")), ...(await adaptersOf("test/gen"))]
  .flatMap(({ methods }) => Object.values(methods))
  .filter(isSubject);

function isSubject(adapter: Adapter): adapter is Subject {
  const { kind, method, rules } = adapter;
  if ((kind !== "unary" && kind !== "paginate") || rules.operation !== undefined) return false;
  if (
    !["json", "json_or_form"].includes(rules.responseEncoding) ||
    rules.errors.some((rule) => (rule.status ?? 0) < 300 && rule.body)
  ) {
    return false;
  }
  if (method.output.typeName.startsWith("google.") || method.output.oneofs.length > 0) return false;
  if (isTuple(responseBody(adapter)?.message ?? method.output)) return false;
  return (kind === "unary" && hasObject(adapter)) || (kind === "paginate" && isPlainPage(adapter));
}

/** Reports whether the body of a response is the message or a message field. */
function hasObject(adapter: Adapter): boolean {
  const field = responseBody(adapter);
  return field === undefined || (field.fieldKind === "message" && field.message.oneofs.length === 0);
}

function isPlainPage(adapter: Extract<Adapter, { kind: "paginate" }>): boolean {
  return /^\w*$/.test(adapter.items[0] ?? "") && responseBody(adapter) === undefined;
}

function responseBody({ method }: Adapter): DescField | undefined {
  const { options } = method.proto;
  const name =
    options !== undefined && hasExtension(options, http) ? getExtension(options, http).responseBody : "";
  return method.output.fields.find((field: DescField) => field.name === name);
}

/** Returns the payload inside the method's envelope, with status 200 at the envelope's status path. */
function wrapped(payload: unknown, { rules: { envelope } }: Subject): unknown {
  const [path = ""] = envelope?.payload ?? [];
  const wrap = (value: unknown, at: string) =>
    at.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  const inner = path === "" ? payload : wrap(payload, path);
  if (envelope?.status === undefined || path === "") return inner;
  return { ...(wrap(200, envelope.status) as object), ...(inner as object) };
}

async function called(subject: Subject, response: unknown) {
  // Turns the inserted key `zz_twice:KEY` into a duplicate of KEY, which has another value.
  body = JSON.stringify(response).replace(/"zz_twice:([^"]+)":/g, '"$1":');
  const found: Difference[] = [];
  const { rules, method } = subject;
  const { port } = server.address() as AddressInfo;
  const request = () => ({
    verb: "GET",
    path: "/x",
    queryString: "",
    headers: [],
    oauth1Params: [],
    body: undefined,
  });
  // Credentials and limits do not affect responses, and one page is enough.
  const plain = { ...rules, credentials: ["none"], rateLimits: [], idempotencyKey: undefined };
  const next = { kind: "link", path: "zz_no_link" };
  const adapter = { ...subject, request, rules: plain, next, more: undefined } as unknown as Adapter;
  const rest = createRest({
    adapters: [{ service: method.parent, methods: { [method.localName]: adapter } }],
    upstreams: { [rules.upstream]: { baseUrl: `http://127.0.0.1:${port}`, breaker: false, retry: false } },
    onDifference: ({ differences }) => found.push(...differences),
  });
  try {
    const message = create(method.input) as never;
    if (subject.kind === "unary") {
      await rest.call(adapter as never, message);
    } else {
      const input = (async function* () {
        yield message;
      })();
      const stream = await rest.transport.stream(method as never, undefined, undefined, undefined, input);
      for await (const _ of stream.message);
    }
    return { found, reason: undefined };
  } catch (thrown) {
    return { found, reason: reasonOf(ConnectError.from(thrown)) ?? String(thrown) };
  } finally {
    await rest.close();
  }
}

/** Generates a valid response of a method, with the places that can be changed. */
function valid(subject: Subject) {
  const places: Place[] = [];
  const [list = ""] = subject.kind === "paginate" ? subject.items : [""];
  const start = subject.kind === "paginate" ? `${list}[0]` : "";
  const { method } = subject;
  const object = validObject(responseBody(subject)?.message ?? method.output, start, places);
  const payload = subject.kind === "unary" ? object : list === "" ? [object] : { [list]: [object] };
  return { payload, places };
}

const WITH_PLACES = SUBJECTS.filter((subject) => valid(subject).places.length > 0);

function change({ holder, key, fields }: Place, how: Change): void {
  const { [key]: value } = holder;
  if (how === "drop" || how === "rename") delete holder[key];
  if (how === "rename") holder.zz_renamed = value;
  const [alias] = aliasesOf(fields);
  if (how === "alias" && alias !== undefined && !Object.hasOwn(holder, alias)) {
    delete holder[key];
    holder[alias] = value;
  }
  if (how === "twice") {
    delete holder[key];
    holder[`zz_twice:${key}`] = { zz_first: [true] };
    holder[key] = value;
  }
  if (how in CHANGED_VALUES) holder[key] = CHANGED_VALUES[how];
}

/** Reports whether a value is an item of a tuple. */
function isItem({ holder }: Place): boolean {
  return Array.isArray(holder);
}

/** Reports whether a value is a tuple, or contains tuples. */
function hasTuple({ fields }: Place): boolean {
  return fields.some(({ message }) => message !== undefined && isTuple(message));
}

test("the generated valid responses include response bodies, aliases and several time units", () => {
  const places = WITH_PLACES.flatMap((subject) => valid(subject).places);
  expect(WITH_PLACES.filter((subject) => responseBody(subject) !== undefined)).not.toEqual([]);
  expect(places.filter(({ fields }) => aliasesOf(fields).length > 0)).not.toEqual([]);
  expect(places.filter(isItem).length).toBeGreaterThan(10);
  const times = places.flatMap(({ fields }) => fields).filter(isTime);
  expect(new Set(times.map((field) => rulesOf(field)?.time?.unit)).size).toBeGreaterThan(2);
});

test("a valid response has no differences", async () => {
  expect(WITH_PLACES.length).toBeGreaterThan(60);
  for (const subject of WITH_PLACES) {
    const { found, reason } = await called(subject, wrapped(valid(subject).payload, subject));
    expect([String(subject.method), found, reason]).toEqual([String(subject.method), [], undefined]);
  }
});

test("property: one changed value gives one difference, with the right class and path", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...WITH_PLACES),
      fc.nat(),
      fc.constantFrom(...CHANGES),
      async (subject, seed, how) => {
        const { payload, places } = valid(subject);
        const place = places[seed % places.length] as Place;
        // an item of a tuple has no key, and an item may be a list
        fc.pre(
          !(isItem(place) && ["rename", "twice"].includes(how)) && !(hasTuple(place) && how === "arrays"),
        );
        change(place, how);
        const { found, reason } = await called(subject, wrapped(payload, subject));
        const at = how === "rename" ? place.path.replace(/[^.]*$/, "zz_renamed") : place.path;
        const name = `${subject.method}: ${at}: ${how}`;
        expect([name, reason]).toEqual([name, undefined]);
        expect([name, [...new Set(found.map((each) => each.class))].sort()]).toEqual([
          name,
          [...expectedOf(place.fields, how)].sort(),
        ]);
        for (const { path } of found) expect(path.startsWith(at), `${name}: ${path}`).toBe(true);
      },
    ),
    { numRuns: 1_500 },
  );
});

test("property: a payload or a page of another type fails the call", async () => {
  const wrong = fc.constantFrom<(payload: unknown) => unknown>(
    (payload) => [payload],
    (payload) => [payload, payload],
    (payload) => ({ zz_other: payload }),
    () => "text",
    () => 7,
    () => true,
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...WITH_PLACES), wrong, async (subject, spoil) => {
      const { payload } = valid(subject);
      const spoilt = spoil(payload);
      const isList = subject.kind === "paginate" && subject.items[0] === "";
      // If a missing list means an empty one, an object without the list is a valid page.
      fc.pre(subject.kind === "unary" || subject.empty?.includes("absent") !== true);
      const isObject = typeof spoilt === "object" && !Array.isArray(spoilt);
      fc.pre(isList ? !Array.isArray(spoilt) : !(isObject && subject.kind === "unary"));
      const { reason } = await called(subject, wrapped(spoilt, subject));
      expect([String(subject.method), reason]).toEqual([String(subject.method), "RESPONSE_SHAPE"]);
    }),
    { numRuns: 300 },
  );
});
