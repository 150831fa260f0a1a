import { isJsonObject, type JsonObject, type JsonValue } from "connect-rest-codec/internal";
import { codeOf, textAt, withHead } from "./common-items.ts";
import { listOf, reportOfItems, subcodeOf } from "./error-items.ts";
import type { ErrorReport } from "./error-report.ts";
import { readErrors, readFieldMap } from "./error-tree.ts";
import type { RequestFields } from "./request-fields.ts";
import { readRpcStatus } from "./rpc-status.ts";
import { meaningOf } from "./status.ts";

/** A common format of error bodies that is recognized without a rule. */
export interface CommonBody {
  /** The name of the format, or of a product that uses it. */
  readonly name: string;
  /** Examples of the format, for the documentation and tests. */
  readonly examples: readonly [JsonValue, ...JsonValue[]];
  /** Reads a body. Returns undefined if the body has another format. */
  readonly read: (body: JsonValue, fields: RequestFields) => ErrorReport | undefined;
}

/** The formats of error bodies for methods without a rule. The first matching format is used. */
export const COMMON_BODIES: readonly CommonBody[] = [
  {
    name: "`google.rpc.Status` and Connect",
    examples: [
      { error: { code: 404, status: "NOT_FOUND", message: "No such book" } },
      { code: "not_found", message: "No such book" },
    ],
    read: readRpcStatus,
  },
  {
    name: "Problem details (RFC 9457)",
    examples: [
      { type: "https://a.test/taken", title: "Name taken", status: 409, detail: "Choose another one" },
      {
        title: "Invalid",
        status: 422,
        errors: [{ detail: "must be positive", pointer: "#/items/0/price" }],
      },
      { title: "Invalid", status: 400, errors: { Name: ["is required"] } },
    ],
    read: ofObject(readProblem),
  },
  {
    name: "FastAPI",
    examples: [{ detail: [{ loc: ["body", "title"], msg: "Field required", type: "missing" }] }],
    read: ofObject(({ detail }, fields) => (Array.isArray(detail) ? readErrors(detail, fields) : undefined)),
  },
  {
    name: "Lists and maps of errors: JSON:API, GraphQL, GitHub, Rails, Shopify, Laravel, Jira",
    examples: [
      {
        errors: [
          { title: "Invalid", detail: "is too long", code: "LONG", source: { pointer: "/data/title" } },
        ],
      },
      { errors: [{ message: "Not allowed", path: ["book", 0], extensions: { code: "FORBIDDEN" } }] },
      {
        message: "Validation Failed",
        errors: [{ resource: "Issue", field: "title", code: "missing_field" }],
      },
      { errors: { title: ["can't be blank", "is too short"] } },
      { message: "The title is invalid.", errors: { title: ["is invalid"] } },
      {
        errors: {
          "items.0.price": ["is negative"],
          author: { name: [{ code: "TAKEN", message: "is taken" }] },
        },
      },
      { errorMessages: ["Not possible"], errors: { summary: "is required" } },
      { errorMessages: ["Not possible"], errors: {} },
      { errorMessages: ["Not possible"], warningMessages: [] },
      { errors: ["No such shop"] },
      { errors: "No such shop" },
    ],
    read: ofObject((body, fields) => {
      const report = readErrors(body.errors, fields);
      const code = report?.subcode ?? codeOf(body);
      const head = textAt(body, ["message", "errorMessages", "title"]);
      if (report !== undefined) return withSubcode(withHead(head, report), code);
      // many bodies contain both a text for the whole error and an empty list or map of errors
      const text = textAt(body, ["errorMessages"]);
      return text === "" ? undefined : withSubcode({ text }, code);
    }),
  },
  {
    name: "An object below `error`: Stripe, Azure",
    examples: [
      {
        error: {
          message: "No such plan",
          type: "invalid_request_error",
          code: "resource_missing",
          param: "plan",
        },
      },
      {
        error: {
          code: "BadArgument",
          message: "Invalid",
          details: [{ code: "Null", target: "name", message: "must be set" }],
        },
      },
    ],
    read: ofObject(({ error }, fields) => (isJsonObject(error) ? readErrorObject(error, fields) : undefined)),
  },
  {
    name: "OAuth 2 (RFC 6749), Spring, NestJS",
    examples: [
      { error: "invalid_grant", error_description: "The code expired" },
      { error: "Forbidden", message: "Only for editors", statusCode: 403 },
      { error: "Bad Request", message: ["title must be a text", "isbn must be set"] },
    ],
    read: ofObject(readErrorWord),
  },
  {
    name: "AWS",
    examples: [
      { __type: "com.amazon.coral.service#ThrottlingException", message: "Rate exceeded" },
      { Type: "User", Code: "NoSuchKey", Message: "No such key" },
      { Error: { Type: "Sender", Code: "InvalidInput", Message: "Too long" } },
    ],
    read: ofObject(readAws),
  },
  {
    name: "A string at `message`, `error` or `detail`",
    examples: [
      { message: "No such book", code: 20404 },
      { message: "No such book", error_code: "BOOK_NOT_FOUND" },
      { error: "No such book" },
      { detail: "No such book" },
    ],
    read: ofObject((body) => {
      const text = textAt(body, ["message", "error", "detail"]);
      return text === "" ? undefined : withSubcode({ text }, codeOf(body));
    }),
  },
  {
    name: "Lists of strings by field: Django",
    examples: [{ title: ["This field is required."], isbn: ["Not a number."] }],
    read: ofObject((body, fields) =>
      Object.values(body).every(isTexts) ? readFieldMap(body, fields) : undefined,
    ),
  },
  {
    name: "A text",
    examples: ["No such book"],
    read: (body) => (typeof body === "string" && body.trim() !== "" ? { text: body } : undefined),
  },
];

function ofObject(
  read: (body: JsonObject, fields: RequestFields) => ErrorReport | undefined,
): CommonBody["read"] {
  return (body, fields) => (isJsonObject(body) ? read(body, fields) : undefined);
}

/**
 * Reads the members of RFC 9457 section 3.1, and lists of errors next to them, as in RFC 9457 section 3 and
 * RFC 7807.
 */
function readProblem(body: JsonObject, fields: RequestFields): ErrorReport | undefined {
  const { type, status } = body;
  const title = textAt(body, ["title"]);
  const detail = typeof body.detail === "string" ? body.detail.trim() : "";
  const isProblem = typeof type === "string" || typeof status === "number" || (title !== "" && detail !== "");
  if (!isProblem || (title === "" && detail === "")) return undefined;
  // a title that repeats the status adds no information
  const isPhrase = typeof status === "number" && title === meaningOf(status).phrase;
  const head = [isPhrase && detail !== "" ? "" : title, detail === title ? "" : detail];
  const violations =
    readErrors(body.errors, fields) ?? readInvalidParams(body["invalid-params"], fields) ?? {};
  const text = head.filter((part) => part !== "").join(": ");
  return withSubcode(withHead(text, violations), codeOf(body));
}

function readInvalidParams(value: JsonValue | undefined, fields: RequestFields): ErrorReport | undefined {
  return reportOfItems(listOf(value), (json) => {
    const [name, text] = isJsonObject(json) ? [textAt(json, ["name"]), textAt(json, ["reason"])] : ["", ""];
    const field = fields.nameOf([name]);
    return { text, line: field === "" ? text : `${field}: ${text}`, subcode: undefined, field, json };
  });
}

/** Reads the error of the object itself, then the errors nested in it. */
function readErrorObject(error: JsonObject, fields: RequestFields): ErrorReport | undefined {
  const own = readErrors([error], fields);
  const below =
    readErrors(error.errors, fields) ??
    readErrors(Array.isArray(error.details) ? error.details : undefined, fields);
  if (below === undefined) return own;
  return withSubcode(withHead(textAt(error, ["message", "title", "detail"]), below), own?.subcode);
}

/**
 * Reads `error` as a code, or as the reason phrase of the status. The description is in another key next to
 * `error`.
 */
function readErrorWord(body: JsonObject): ErrorReport | undefined {
  const { error } = body;
  if (typeof error !== "string" || error.trim() === "") return undefined;
  const said = textAt(body, ["error_description"]);
  const message = textAt(body, ["message", "detail"]);
  const subcode = /^[\w.-]+$/.test(error) ? subcodeOf(error) : undefined;
  if (subcode === undefined) return message === "" ? undefined : withSubcode({ text: message }, codeOf(body));
  if (said !== "") return { text: `${error}: ${said}`, subcode };
  return { text: message === "" ? error : message, subcode };
}

function readAws(body: JsonObject): ErrorReport | undefined {
  const error = isJsonObject(body.Error) ? body.Error : body;
  const type = textAt(error, ["Code", "__type", "Type"]);
  if (type === "" && textAt(error, ["Message"]) === "") return undefined;
  // a namespace may precede the name, and a URL may follow it
  const name = type.replace(/^.*#/s, "").replace(/:.*$/s, "");
  const text = textAt(error, ["message", "Message"]);
  return withSubcode({ text: text === "" ? name : text }, subcodeOf(name));
}

function withSubcode(report: ErrorReport, subcode: string | undefined): ErrorReport {
  return subcode === undefined ? report : { ...report, subcode };
}

function isTexts(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string");
}
