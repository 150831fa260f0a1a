/** Prints the reference of the services from their descriptors and adapters. */
import { readFileSync } from "node:fs";
import { type DescMethod, type FileRegistry, getOption } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { ServiceAdapter } from "connect-rest-runtime";
import { http } from "connect-rest-runtime/gen/google/api/annotations_pb.js";
import type { HttpRule } from "connect-rest-runtime/gen/google/api/http_pb.js";
import type { AnyMethodAdapter } from "connect-rest-runtime/internal";
import { BlogServiceRest } from "../../gen/blog/v1/blog_rest.ts";
import { EmbedServiceRest } from "../../gen/blog/v1/embed_rest.ts";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";
import { CommunityServiceRest } from "../../gen/community/v1/community_rest.ts";
import { EventServiceRest } from "../../gen/events/v1/events_rest.ts";
import { OAuthServiceRest } from "../../gen/oauth/v1/oauth_rest.ts";
import { FilterServiceRest } from "../../gen/user/v1/filter_rest.ts";
import { UserServiceRest } from "../../gen/user/v1/user_rest.ts";
import { anchor, code, page, table } from "./markdown.ts";
import { requestTable } from "./request-fields.ts";
import { loadSchema } from "./schema.ts";

const HEAD = new URL("services-head.md", import.meta.url);
const SERVICES: readonly ServiceAdapter[] = [
  BlogServiceRest,
  PostServiceRest,
  UserServiceRest,
  FilterServiceRest,
  CommunityServiceRest,
  EmbedServiceRest,
  EventServiceRest,
  OAuthServiceRest,
];

type ErrorRule = AnyMethodAdapter["rules"]["errors"][number];

/** Returns the page `docs/services.md`. */
export function servicesPage(root: string): string {
  const schema = loadSchema(root);
  return page(readFileSync(HEAD, "utf8"), ...SERVICES.flatMap((adapter) => serviceParts(adapter, schema)));
}

function serviceParts({ service, methods, comments }: ServiceAdapter, schema: FileRegistry): string[] {
  const all = Object.entries(methods);
  const shared = sharedRules(all.map(([, { rules }]) => rules.errors));
  return [
    `## ${service.typeName}`,
    comments?.service ?? "",
    ...(shared.length === 0 ? [] : ["Errors of all methods:", errorTable(shared)]),
    ...all.flatMap(([name, method]) => {
      const first = all.find(([, other]) => other.method.input === method.method.input)?.[1] ?? method;
      const request = requestText(method.method, first.method, schema);
      return methodParts(method, comments?.methods[name] ?? "", request, shared);
    }),
  ];
}

/** Formats the fields of a request. Later methods with the same request link to the first method. */
function requestText({ name, input }: DescMethod, first: DescMethod, schema: FileRegistry): string {
  if (first.name !== name && input.fields.length > 0) {
    return `Same request as [${first.name}](#${anchor(first.name)}).`;
  }
  return requestTable(schema.getMessage(input.typeName) ?? input);
}

/** Returns the rules that all methods of a service share. */
function sharedRules([first = [], ...others]: ReadonlyArray<readonly ErrorRule[]>): readonly ErrorRule[] {
  return first.filter((rule) => others.every((rules) => rules.includes(rule)));
}

function methodParts(
  { method, rules }: AnyMethodAdapter,
  comment: string,
  request: string,
  shared: readonly ErrorRule[],
): string[] {
  const own = rules.errors.filter((rule) => !shared.includes(rule));
  const facts = [
    `Calls ${bindingsOf(method).map(code).join(" or ")}.`,
    `Credentials: ${rules.credentials.map(code).join(", ") || "none"}.`,
    rules.scopes.length === 0 ? "" : `Scopes: ${rules.scopes.map(code).join(", ")}.`,
    ...(rules.rateLimits ?? []).map(limitText),
  ];
  return [
    `### ${method.name}`,
    code(`${method.name}(${typeOf(method, "input")}) returns (${typeOf(method, "output")})`),
    comment,
    facts.filter((fact) => fact !== "").join(" "),
    request,
    own.length === 0 ? "" : errorTable(own),
  ];
}

function typeOf({ methodKind, input, output }: DescMethod, side: "input" | "output"): string {
  const streams = side === "input" ? ["client_streaming"] : ["server_streaming"];
  const isStream = methodKind === "bidi_streaming" || streams.includes(methodKind);
  return `${isStream ? "stream " : ""}${(side === "input" ? input : output).name}`;
}

function bindingsOf(method: DescMethod): string[] {
  const rule = getOption(method, http);
  return [rule, ...rule.additionalBindings].map(bindingText);
}

function bindingText({ pattern }: HttpRule): string {
  return typeof pattern.value === "string" ? `${pattern.case?.toUpperCase()} ${pattern.value}` : "";
}

function limitText({
  requests,
  windowMs,
  calendarDay,
  bucket,
  perCredentials,
}: NonNullable<AnyMethodAdapter["rules"]["rateLimits"]>[number]) {
  const seconds = windowMs === 1000 ? "1 second" : `${windowMs / 1000} seconds`;
  const window = calendarDay === undefined ? seconds : `a day (${calendarDay})`;
  const whose = perCredentials ? " per set of credentials" : "";
  const shared = bucket === "" ? "" : `, shared by all methods with the bucket ${code(bucket)}`;
  return `At most ${requests} ${requests === 1 ? "request" : "requests"} in ${window}${whose}${shared}.`;
}

function errorTable(rules: readonly ErrorRule[]): string {
  const rows = rules.map(({ status, subcode, header, code: number, reason }) => [
    status === 0 ? "any" : String(status),
    subcode === undefined ? "any" : code(String(subcode)),
    header === undefined ? "" : code([header.name, header.value].filter(Boolean).join(": ")),
    number === undefined ? "of the status" : code(codeName(number)),
    reason === undefined ? "of the status" : code(reason),
  ]);
  return table(["HTTP status", "Subcode", "Header", "Code", "Reason"], rows);
}

/** Returns the name of a code in gRPC and google.rpc.Code, such as NOT_FOUND. */
function codeName(number: number): string {
  return (Code[number] ?? String(number)).replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}
