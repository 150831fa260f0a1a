import type { DifferenceClass } from "connect-rest";

/** One way in which a response can differ from its description, with a response of `fidelity.v1` that does. */
export interface Row {
  /** What the upstream sends. */
  readonly sends: string;
  /** The body of the response. */
  readonly body: string;
  /** `get` for an object below `response`, `list` for pages of them below `response.parcels`. */
  readonly call?: "get" | "list";
  /** `RESPONSE_SHAPE` and `ERROR_IN_RESPONSE` fail the call. `none` is no difference. */
  readonly outcome: DifferenceClass | "none" | "RESPONSE_SHAPE" | "ERROR_IN_RESPONSE";
  /** The text of an error. */
  readonly text?: string;
  /** Where, as reports and errors name it. */
  readonly path?: string;
  /** What callers get, in words, and as a part of the message or of all items. */
  readonly gets: string;
  readonly message?: unknown;
}

const response = (parcel: unknown) => JSON.stringify({ response: parcel });

/** The table of docs/fidelity.md; each row is a test. */
export const ROWS: readonly Row[] = [
  {
    sends: "a key that no field names",
    body: response({ id: "a", color: "red" }),
    outcome: "none",
    gets: "the key and its value as JSON, in the field that collects unknown keys",
    message: { id: "a", unknownFields: { color: '"red"' } },
  },
  {
    sends: "a key that no field names, and no field collects",
    body: response({ id: "a", label: { color: "red" } }),
    outcome: "additional",
    path: "label.color",
    gets: "the message without it",
    message: { id: "a", label: {} },
  },
  {
    sends: "an unknown word of an enum, with another field that reads the same key",
    body: response({ id: "a", size: "huge" }),
    outcome: "additional",
    path: "size",
    gets: "0 in the enum, and the word in the other field",
    message: { size: 0, sizeName: "huge" },
  },
  {
    sends: "an unknown word of an enum, in a message that collects unknown keys",
    body: response({ id: "a", stage: "lost" }),
    outcome: "additional",
    path: "stage",
    gets: "0 in the enum, and the word as JSON with the unknown keys",
    message: { stage: 0, unknownFields: { stage: '"lost"' } },
  },
  {
    sends: "an unknown word of an enum, which nothing keeps",
    body: response({ label: { stage: "lost" } }),
    outcome: "lost",
    path: "label.stage",
    gets: "0 in the enum",
    message: { label: { stage: 0 } },
  },
  {
    sends: "an unknown number of an open enum",
    body: response({ label: { stage: 7 } }),
    outcome: "additional",
    path: "label.stage",
    gets: "the number",
    message: { label: { stage: 7 } },
  },
  {
    sends: "`null`, or no key",
    body: response({ id: null }),
    outcome: "none",
    gets: "the field unset",
    message: { id: "" },
  },
  {
    sends: "a number or a boolean for a string",
    body: response({ id: 5 }),
    outcome: "converted",
    path: "id",
    gets: "its text",
    message: { id: "5" },
  },
  {
    sends: "a number as a string",
    body: response({ weight: "5" }),
    outcome: "converted",
    path: "weight",
    gets: "the number",
    message: { weight: 5 },
  },
  {
    sends: "a 64-bit integer as a string",
    body: response({ serial: "700000000000000001" }),
    outcome: "none",
    gets: "the integer, exactly: ProtoJSON writes it so",
    message: { serial: 700_000_000_000_000_001n },
  },
  {
    sends: "a fraction for an integer",
    body: response({ weight: 5.5 }),
    outcome: "lost",
    path: "weight",
    gets: "the field unset",
    message: {},
  },
  {
    sends: "numbers of any notation under a key that no field names",
    body: '{"response":{"extra":{"a":0.12345678901234567890,"b":[1.10,1e3,-0,1.5,12345678901234567890.123]}}}',
    outcome: "none",
    gets: "JSON with every number as it was written",
    message: {
      unknownFields: { extra: '{"a":0.12345678901234567890,"b":[1.10,1e3,-0,1.5,12345678901234567890.123]}' },
    },
  },
  {
    sends: "a decimal for a string",
    body: '{"response":{"id":123456789012345.678900}}',
    outcome: "converted",
    path: "id",
    gets: "its text, digit by digit",
    message: { id: "123456789012345.678900" },
  },
  {
    sends: "a single value for a list",
    body: response({ tags: "a" }),
    outcome: "converted",
    path: "tags",
    gets: "a list of one",
    message: { tags: ["a"] },
  },
  {
    sends: "`[]` for an object, or `{}` for a list",
    body: response({ label: [] }),
    outcome: "converted",
    path: "label",
    gets: "an empty message or list",
    message: { label: {} },
  },
  {
    sends: "an array of one object for an object",
    body: response({ label: [{ text: "a" }] }),
    outcome: "converted",
    path: "label",
    gets: "that object",
    message: { label: { text: "a" } },
  },
  {
    sends: '`false` or `""` for an object or a list',
    body: response({ label: false }),
    outcome: "converted",
    path: "label",
    gets: "the field unset",
    message: { id: "" },
  },
  {
    sends: "an array of several objects for an object",
    body: response({ label: [{ text: "a" }, { text: "b" }] }),
    outcome: "lost",
    path: "label",
    gets: "the first",
    message: { label: { text: "a" } },
  },
  {
    sends: "a value that cannot be what is declared",
    body: response({ weight: "heavy" }),
    outcome: "lost",
    path: "weight",
    gets: "the field unset",
    message: { weight: 0 },
  },
  {
    sends: "a number that is out of range",
    body: response({ weight: 3_000_000_000 }),
    outcome: "lost",
    path: "weight",
    gets: "the field unset",
    message: { weight: 0 },
  },
  {
    sends: "an object or an array for a scalar",
    body: response({ id: ["a"] }),
    outcome: "lost",
    path: "id",
    gets: "the field unset",
    message: { id: "" },
  },
  {
    sends: "`null` or a scalar in a list of objects",
    body: response({ parts: [{ text: "a" }, null] }),
    outcome: "lost",
    path: "parts[1]",
    gets: "the list without it",
    message: { parts: [{ text: "a" }] },
  },
  {
    sends: "a payload that is empty as the rules say: by default `null`, `[]` or `{}`",
    body: response(null),
    outcome: "none",
    gets: "an empty message",
    message: { id: "" },
  },
  {
    sends: "an array with something in it for a payload that is an object",
    body: response([{ id: "a" }]),
    outcome: "RESPONSE_SHAPE",
    path: "response",
    gets: "an error",
  },
  {
    sends: "a scalar for a payload that is an object",
    body: response("maintenance"),
    outcome: "RESPONSE_SHAPE",
    path: "response",
    gets: "an error",
  },
  {
    sends: "nothing where the payload should be, and the rules do not say that this means empty",
    body: '{"message":"maintenance"}',
    outcome: "RESPONSE_SHAPE",
    path: "response",
    gets: "an error",
  },
  {
    sends: "no body with a status other than 204, and the rules do not say that this means empty",
    body: "",
    outcome: "RESPONSE_SHAPE",
    path: "response",
    gets: "an error",
  },
  {
    sends: "a page without items as the rules say: by default `null`, `[]` or `{}`",
    call: "list",
    body: response({ parcels: [] }),
    outcome: "none",
    gets: "the end of the stream",
    message: [],
  },
  {
    sends: "`null` where the items of a page should be",
    call: "list",
    body: response({ parcels: null }),
    outcome: "none",
    gets: "the end of the stream",
    message: [],
  },
  {
    sends: "a payload without anything in it, where the items of a page should be",
    call: "list",
    body: response({}),
    outcome: "RESPONSE_SHAPE",
    path: "response.parcels",
    gets: "an error",
  },
  {
    sends: "no body where a page should be",
    call: "list",
    body: "",
    outcome: "RESPONSE_SHAPE",
    path: "response",
    gets: "an error",
  },
  {
    sends: "`null` or nothing for the payload, and errors beside it, with a status of success (GraphQL)",
    body: JSON.stringify({ response: null, errors: [{ message: "no such cargo" }] }),
    outcome: "ERROR_IN_RESPONSE",
    text: "upstream rules responded with 200 OK: no such cargo",
    gets: "an error with the text of these",
  },
  {
    sends: "a key twice",
    body: '{"response":{"id":"a","weight":1,"id":"b"}}',
    outcome: "none",
    gets: "the last value, as JSON parsers take it",
    message: { id: "b", weight: 1 },
  },
  {
    sends: "nothing where the items of a page should be",
    call: "list",
    body: response({ packages: [{ id: "a" }] }),
    outcome: "RESPONSE_SHAPE",
    path: "response.parcels",
    gets: "an error",
  },
  {
    sends: "an object or a scalar where the items of a page should be",
    call: "list",
    body: response({ parcels: { id: "a" } }),
    outcome: "RESPONSE_SHAPE",
    path: "response.parcels",
    gets: "an error",
  },
  {
    sends: "an item of a page that is no object",
    call: "list",
    body: response({ parcels: [{ id: "a" }, 7] }),
    outcome: "lost",
    path: "parcels[1]",
    gets: "the stream without it",
    message: [{ id: "a" }],
  },
  {
    sends: "that there are more pages, and not how to get them",
    call: "list",
    body: response({ parcels: [{ id: "a" }], more: true }),
    outcome: "RESPONSE_SHAPE",
    path: "next",
    gets: "the items, then an error",
  },
];
