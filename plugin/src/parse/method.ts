import type { DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import { HTTP } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { type HttpRule, HttpRuleSchema } from "../gen/google/api/http_pb.ts";
import { suggestion } from "../model/field-path.ts";
import { freeze } from "../model/freeze.ts";
import type { BindingModel, MethodModel } from "../model/model.ts";
import type { Rules } from "../model/rules.ts";
import { unwrappedOneof } from "../model/types.ts";
import { parseBinding } from "./binding.ts";
import { httpRule, methodRules, serviceRules } from "./options.ts";
import { responseBodyOf, takesBytes } from "./response.ts";
import { parseRules } from "./rules.ts";
import { checkMapped, parseStream } from "./stream.ts";
import { typeModels } from "./types.ts";

const ADDITIONAL_BINDINGS = HttpRuleSchema.field.additionalBindings.number;
const RESPONSE_BODY = HttpRuleSchema.field.responseBody.number;

/**
 * Parses a method. Returns undefined if the method has no HTTP rule, or if the rule is invalid, which is
 * reported as a problem. A stream without a stream rule is also a problem, but the method is parsed, so that
 * its other parts are checked.
 */
export function parseMethod(desc: DescMethod, problems: Problems): MethodModel | undefined {
  const rule = httpRule(desc);
  if (rule === undefined) return undefined;
  const before = problems.size;
  const bindings = [rule, ...rule.additionalBindings]
    .map((binding, index) => {
      const path = index === 0 ? [HTTP] : [HTTP, ADDITIONAL_BINDINGS, index - 1];
      return parseBinding(desc, binding, path, problems);
    })
    .filter((binding): binding is BindingModel => binding !== undefined);
  checkAdditional(desc, rule, problems);
  const responseBody = parseResponseBody(desc, rule, problems);
  const stream = parseStream(desc, problems);
  const [first] = bindings;
  const isSound = problems.size === before;
  checkMapped(desc, problems);
  if (!isSound || first === undefined) return undefined;
  const rules = { ...parseRules(desc, first.verb), ...payloadType(desc, responseBody) };
  return freeze({
    desc,
    annotation: methodRules(desc),
    serviceAnnotation: serviceRules(desc.parent),
    rules,
    bindings,
    responseBody,
    takesBytes: takesBytes(desc),
    stream,
    pages: pagesOf(desc, rule),
  });
}

/**
 * Returns the messages that unary methods of the service return for a page: for responses from the same URL.
 */
function pagesOf(desc: DescMethod, { pattern }: HttpRule): readonly DescMessage[] {
  if (desc.methodKind === "unary" || methodRules(desc).envelope !== undefined) return [];
  let pages = PAGES.get(desc.parent);
  if (pages === undefined) {
    pages = unaryPages(desc.parent);
    PAGES.set(desc.parent, pages);
  }
  return pages.get(urlOf(pattern)) ?? [];
}

/**
 * The pages of the unary methods of a service, by URL. They are indexed because searching all methods for
 * each stream is slow.
 */
const PAGES = new WeakMap<DescService, ReadonlyMap<string, readonly DescMessage[]>>();

function unaryPages({ methods }: DescService): ReadonlyMap<string, readonly DescMessage[]> {
  const pages = new Map<string, DescMessage[]>();
  for (const method of methods) {
    const rule = httpRule(method);
    if (method.methodKind !== "unary" || rule === undefined || rule.responseBody !== "") continue;
    if (methodRules(method).envelope !== undefined) continue;
    const url = urlOf(rule.pattern);
    pages.set(url, [...(pages.get(url) ?? []), method.output]);
  }
  return pages;
}

function urlOf(pattern: HttpRule["pattern"]): string {
  return `${pattern.case} ${JSON.stringify(pattern.value)}`;
}

/** Reports features that additional bindings cannot have: further bindings, and a response body. */
function checkAdditional(desc: DescMethod, rule: HttpRule, problems: Problems): void {
  rule.additionalBindings.forEach((binding, index) => {
    const subject = `binding ${index + 2} of ${nameOf(desc)}`;
    const add = (place: number, code: string, text: string) =>
      problems.add(desc, [HTTP, ADDITIONAL_BINDINGS, index, place], code, text);
    if (binding.additionalBindings.length > 0) {
      const text = `${subject} has additional bindings of its own, which google/api/http.proto does not allow; move them one level up`;
      add(ADDITIONAL_BINDINGS, "binding-nested", text);
    }
    if (binding.responseBody !== "" && binding.responseBody !== rule.responseBody) {
      const first = rule.responseBody === "" ? "none" : `\`${rule.responseBody}\``;
      const text = `${subject} has the response_body \`${binding.responseBody}\`, but the first binding has ${first}; all bindings of a method share one response decoder`;
      add(RESPONSE_BODY, "response-body-differs", text);
    }
  });
}

function parseResponseBody(desc: DescMethod, rule: HttpRule, problems: Problems): DescField | undefined {
  if (rule.responseBody === "") return undefined;
  const field = responseBodyOf(desc);
  if (field === undefined) {
    const text = `response_body: message ${nameOf(desc.output)} has no field \`${rule.responseBody}\`${suggestion(rule.responseBody, desc.output)}`;
    problems.add(desc, [HTTP, RESPONSE_BODY], "response-body-field", text);
  }
  return field;
}

/** Returns the JSON type of the response, which selects the payload if an envelope has alternatives. */
function payloadType(desc: DescMethod, responseBody: DescField | undefined): Pick<Rules, "payloadType"> {
  const envelope = methodRules(desc).envelope ?? serviceRules(desc.parent).envelope;
  if ((envelope?.payload.length ?? 0) < 2) return {};
  const message = responseBody === undefined ? desc.output : responseBody.message;
  const isList = responseBody?.fieldKind === "list";
  if (!isList && message !== undefined && unwrappedOneof(message, typeModels) !== undefined) return {};
  const isTuple = message !== undefined && typeModels.tuple(message);
  return { payloadType: isList || isTuple ? "array" : "object" };
}
