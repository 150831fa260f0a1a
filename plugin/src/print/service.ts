import type { DescFile } from "@bufbuild/protobuf";
import { commentOf } from "../descriptors/comments.ts";
import { localName } from "../descriptors/names.ts";
import type { MethodModel, ServiceModel } from "../model/model.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { commentsPath } from "./comment-files.ts";
import { docComment, withProvenance } from "./doc-comment.ts";
import { typed } from "./erasable.ts";
import { printFunction } from "./function.ts";
import { adapterPoint, methodPoint, servicePoint } from "./insertion-point.ts";
import { printKey, printString } from "./literal.ts";
import { methodRules, printServiceRules, type ServiceRules } from "./method-rules.ts";
import { requestLines } from "./request.ts";
import { bodyMember, headLines, headMember } from "./response.ts";
import { streamMembers } from "./stream.ts";
import { templateText } from "./template.ts";
import { WIDTH } from "./wrap.ts";

/** The types that the runtime has for methods. */
const ADAPTER_TYPES = {
  unary: "UnaryAdapter",
  paginate: "PaginateAdapter",
  poll: "PollAdapter",
  records: "RecordsAdapter",
  operation: "OperationAdapter",
  download: "DownloadAdapter",
  upload: "UploadAdapter",
} as const;

/**
 * Prints a service: its rules, one constant per method, then the adapter that refers to the constants.
 *
 * @param commented the .proto files whose comments the adapter can load
 */
export function printService(service: ServiceModel, file: AdapterFile, commented: readonly DescFile[]): void {
  const { desc } = service;
  file.style ??= service.rules.json;
  const rules = printServiceRules(desc.typeName, `${localName(desc)}_rules`, service.rules, file);
  const shared: Shared = { rules, methodRules: new Map(), lines: new Map() };
  const names = service.methods.map((method) => printMethod(method, shared, file));
  const adapter = file.source.claim(`${localName(desc)}Rest`);
  const comment = docComment(withProvenance(commentOf(desc), `service ${desc.typeName}`));
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
    ...loadLines(commented, file),
    `  ${file.insertionPoint(adapterPoint(desc))}`,
    "};",
    marker,
  );
}

/** The state that the methods of a service share. */
interface Shared {
  readonly rules: ServiceRules;
  /** The names of the constants with method rules, by the rules. */
  readonly methodRules: Map<string, string>;
  /** The names of the method constants, by the lines of their requests and heads. */
  readonly lines: Map<string, string>;
}

function printMethod(method: MethodModel, shared: Shared, file: AdapterFile): string {
  const { desc } = method;
  const name = file.source.claim(`${localName(desc.parent)}_${desc.localName}`);
  const kind = file.runtimeValue(method.stream?.kind ?? "unary");
  const described = `${file.service(desc.parent)}.method.${desc.localName}`;
  const calls = method.bindings.map(({ verb, template }) => `${verb} ${templateText(template)}`).join("\n");
  const comment = docComment(
    withProvenance(withSubject(calls, commentOf(desc)), `rpc ${desc.parent.typeName}.${desc.name}`),
  );
  const marker = file.insertionPoint(methodPoint(desc));
  const adapterType = file.runtimeType(ADAPTER_TYPES[method.stream?.kind ?? "unary"]);
  const types = [`typeof ${described}.input`, `typeof ${described}.output`];
  const type = `${adapterType}<${types.join(", ")}>`;
  file.declare(name, [...comment, `export declare const ${name}: ${type};`, marker]);
  const members = memberLines(method, name, shared, file);
  const wrapped = `${adapterType}<\n${types.map((each) => `  ${each}`).join(",\n")}\n>`;
  file.source.add(
    "",
    ...comment,
    ...constantLines(name, wrapped, `${kind}(${described}, {`, members),
    marker,
  );
  return name;
}

/**
 * Returns the constant of a method, with its type, which TypeScript's `isolatedDeclarations` requires. If the
 * first line is too long, the arguments are on separate lines.
 */
function constantLines(name: string, type: string, call: string, members: readonly string[]): string[] {
  const start = `export const ${name}`;
  const head = `${start}${typed(type)} = ${call}`;
  if (`${start} = ${call}`.length <= WIDTH) return [head, ...members.map((line) => `  ${line}`), "});"];
  const [fn = "", described = ""] = call.split(/[(,]/);
  const inner = [`${described},`, "{", ...members.map((line) => `  ${line}`), "},"];
  return [`${start}${typed(type)} = ${fn}(`, ...inner.map((line) => `  ${line}`), ");"];
}

function memberLines(method: MethodModel, name: string, shared: Shared, file: AdapterFile): string[] {
  const { desc, stream } = method;
  const request = requestLines(method, file);
  const sameRequest = firstWith(`request of ${desc.input.typeName}`, request, name, shared);
  return [
    ruleLine(method, name, sameRequest, shared, file),
    ...(sameRequest === undefined
      ? requestFunction(method, request, file)
      : [`request: ${sameRequest}.request,`]),
    ...(stream === undefined
      ? [...bodyMember(method, file), ...sharedHead(method, name, shared, file)]
      : streamMembers(method, stream, file)),
  ];
}

/**
 * Returns the rules of a method. A list method and the stream of its pages share the rules if their requests
 * are the same.
 */
function ruleLine(
  method: MethodModel,
  name: string,
  sameRequest: string | undefined,
  shared: Shared,
  file: AdapterFile,
): string {
  const rules = methodRules(method, shared.rules, file);
  shared.methodRules.set(name, rules);
  const isSame = sameRequest !== undefined && shared.methodRules.get(sameRequest) === rules;
  return isSame && rules !== shared.rules.name ? `rules: ${sameRequest}.rules,` : `rules: ${rules},`;
}

function sharedHead(method: MethodModel, name: string, shared: Shared, file: AdapterFile): string[] {
  const head = headLines(method, file);
  const same = firstWith("head", head, name, shared);
  return same === undefined ? headMember(head) : [`head: ${same}.head,`];
}

/**
 * Returns the method that already has these lines; undefined for a few lines, which are clearer where they
 * are used.
 */
function firstWith(
  subject: string,
  lines: readonly string[],
  name: string,
  { lines: known }: Shared,
): string | undefined {
  if (lines.length < 4) return undefined;
  const text = [subject, ...lines].join("\n");
  const first = known.get(text);
  if (first === undefined) known.set(text, name);
  return first;
}

function requestFunction({ desc }: MethodModel, lines: readonly string[], file: AdapterFile): string[] {
  return printFunction({
    name: "request",
    parameters: [["message", () => file.messageType(desc.input)]],
    result: file.runtimeType("RestRequest"),
    lines,
  });
}

function commentLines(service: ServiceModel): string[] {
  const methods = service.methods
    .map(({ desc }) => ({ name: printKey(desc.localName), comment: commentOf(desc) }))
    .filter(({ comment }) => comment !== "")
    .map(({ name, comment }) => `      ${name}: ${printString(comment)},`);
  const comment = commentOf(service.desc);
  if (comment === "" && methods.length === 0) return [];
  const own = `    service: ${printString(comment)},`;
  if (methods.length === 0) return ["  comments: {", own, "    methods: {},", "  },"];
  return ["  comments: {", own, "    methods: {", ...methods, "    },", "  },"];
}

function loadLines(commented: readonly DescFile[], file: AdapterFile): string[] {
  if (commented.length === 0) return [];
  const modules = commented.map((desc) => printString(file.source.relative(commentsPath(desc))));
  return [
    "  loadComments: () =>",
    "    Promise.all([",
    ...modules.map((module) => `      import(${module}),`),
    "    ]),",
  ];
}

function withSubject(subject: string, comment: string): string {
  return comment === "" ? subject : `${comment}\n\n${subject}`;
}
