import { commentOf } from "../descriptors/comments.ts";
import { localName } from "../descriptors/names.ts";
import type { MethodModel, ServiceModel } from "../model/model.ts";
import { PRINTED_RULES, type SharedRules } from "../model/rules.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { docComment } from "./doc-comment.ts";
import { onlyTypeScript, typed } from "./erasable.ts";
import { printFunction } from "./function.ts";
import { adapterPoint, methodPoint, servicePoint } from "./insertion-point.ts";
import { type Literal, printKey, printLiteral, printString } from "./literal.ts";
import { requestLines } from "./request.ts";
import { responseMember } from "./response.ts";
import { streamMembers } from "./stream.ts";
import { templateText } from "./template.ts";

/** The runtime's types of methods. */
const ADAPTER_TYPES = {
  unary: "UnaryAdapter",
  paginate: "PaginateAdapter",
  poll: "PollAdapter",
  records: "RecordsAdapter",
  download: "DownloadAdapter",
  upload: "UploadAdapter",
} as const;

/** Prints a service: its rules, one constant a method, then the adapter that names them all. */
export function printService(service: ServiceModel, file: AdapterFile): void {
  const { desc } = service;
  const shared = printSharedRules(service, file);
  const names = service.methods.map((method) => printMethod(method, shared, file));
  const adapter = file.source.claim(`${localName(desc)}Rest`);
  const comment = docComment(withSubject(`The REST adapter of ${desc.typeName}.`, commentOf(desc)));
  const type = `${file.runtimeType("ServiceAdapter")}<typeof ${file.service(desc)}>`;
  const marker = file.insertionPoint(servicePoint(desc));
  file.declare(adapter, [...comment, `export declare const ${adapter}: ${type};`, marker]);
  file.source.add(
    "",
    ...comment,
    `export const ${adapter}${typed(type)} = {`,
    `  service: ${file.service(desc)},`,
    "  methods: {",
    ...service.methods.map((method, index) => `    ${printKey(method.desc.localName)}: ${names[index]},`),
    "  },",
    ...commentLines(service),
    `  ${file.insertionPoint(adapterPoint(desc))}`,
    "};",
    marker,
  );
}

/** The constant with the rules of a service, and what it holds. */
interface Shared {
  readonly name: string;
  readonly rules: Readonly<Record<string, Literal>>;
}

function printSharedRules(service: ServiceModel, file: AdapterFile): Shared {
  const name = file.source.claim(`${localName(service.desc)}_rules`);
  const rules = printedRules(service.rules);
  file.source.add(
    "",
    ...docComment(`Rules of all methods of ${service.desc.typeName}.`),
    `const ${name} = ${printLiteral(rules)}${onlyTypeScript(` satisfies Partial<${file.runtimeType("MethodRules")}>`)};`,
  );
  return { name, rules };
}

function printMethod(method: MethodModel, shared: Shared, file: AdapterFile): string {
  const { desc } = method;
  const [binding] = method.bindings;
  if (binding === undefined) throw new Error(`${desc} has no binding`);
  const name = file.source.claim(`${localName(desc.parent)}_${desc.localName}`);
  const kind = file.runtimeValue(method.stream?.kind ?? "unary");
  const described = `${file.service(desc.parent)}.method.${desc.localName}`;
  const comment = docComment(
    withSubject(`${binding.verb} ${templateText(binding.template)}`, commentOf(desc)),
  );
  const marker = file.insertionPoint(methodPoint(desc));
  const type = file.declaredType(ADAPTER_TYPES[method.stream?.kind ?? "unary"]);
  file.declare(name, [
    ...comment,
    `export declare const ${name}: ${type}<typeof ${described}.input, typeof ${described}.output>;`,
    marker,
  ]);
  const members =
    method.stream === undefined ? responseMember(method, file) : streamMembers(method, method.stream, file);
  file.source.add(
    "",
    ...comment,
    `export const ${name} = ${kind}(${described}, {`,
    ...ruleLines(method, shared),
    ...printFunction({
      name: "request",
      parameters: [["message", file.messageType(desc.input)]],
      result: file.runtimeType("RestRequest"),
      lines: requestLines(method, file),
    }).map((line) => `  ${line}`),
    ...members.map((line) => `  ${line}`),
    "});",
    marker,
  );
  return name;
}

/** The rules that the runtime acts on; what is printed into functions is left out. */
function printedRules(rules: SharedRules): Readonly<Record<string, Literal>> {
  const printed = Object.entries<unknown>({ ...rules }) as Array<[string, Literal]>;
  return Object.fromEntries(printed.filter(([key]) => !PRINTED_RULES.some((name) => name === key)));
}

/** The rules of a method: those of its service, and what differs. */
function ruleLines({ rules }: MethodModel, shared: Shared): string[] {
  const own = Object.entries(printedRules(rules)).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(shared.rules[key]),
  );
  const lines = own.map(([key, value]) =>
    key === "errors"
      ? `    errors: ${errorsLiteral(rules.errors, shared)},`
      : `    ${key}: ${printLiteral(value, 4)},`,
  );
  // a method without an envelope in a service that has one
  const unset = Object.keys(shared.rules)
    .filter((key) => !(key in rules))
    .map((key) => `    ${key}: undefined,`);
  return ["  rules: {", `    ...${shared.name},`, ...unset, ...lines, "  },"];
}

/** A method's errors stand in front of its service's. */
function errorsLiteral(errors: readonly Literal[], shared: Shared): string {
  const inherited = shared.rules.errors;
  const count = Array.isArray(inherited) ? inherited.length : 0;
  const own = errors.slice(0, errors.length - count).map((rule) => `      ${printLiteral(rule, 6)},\n`);
  return `[\n${own.join("")}${count > 0 ? `      ...${shared.name}.errors,\n` : ""}    ]`;
}

function commentLines(service: ServiceModel): string[] {
  const methods = service.methods.map(
    ({ desc }) => `      ${printKey(desc.localName)}: ${printString(commentOf(desc))},`,
  );
  return [
    "  comments: {",
    `    service: ${printString(commentOf(service.desc))},`,
    "    methods: {",
    ...methods,
    "    },",
    "  },",
  ];
}

function withSubject(subject: string, comment: string): string {
  return comment === "" ? subject : `${comment}\n\n${subject}`;
}
