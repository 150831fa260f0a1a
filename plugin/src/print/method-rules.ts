import { DEFAULT_RULES } from "../model/default-rules.ts";
import type { MethodModel } from "../model/model.ts";
import { type ErrorRule, PRINTED_RULES, type SharedRules } from "../model/rules.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { docComment } from "./doc-comment.ts";
import { onlyTypeScript } from "./erasable.ts";
import { Expression, type Literal, printInline } from "./literal.ts";

/** The members of `Code`, indexed by the numbers of google.rpc.Code. */
export const CODES = [
  undefined,
  "Canceled",
  "Unknown",
  "InvalidArgument",
  "DeadlineExceeded",
  "NotFound",
  "AlreadyExists",
  "PermissionDenied",
  "ResourceExhausted",
  "FailedPrecondition",
  "Aborted",
  "OutOfRange",
  "Unimplemented",
  "Internal",
  "Unavailable",
  "DataLoss",
  "Unauthenticated",
] as const;

type Printed = Readonly<Record<string, Literal>>;

/** The constant with the rules of a service. */
export interface ServiceRules {
  readonly name: string;
  /** The rules that methods inherit, including the defaults. */
  readonly inherited: Printed;
  /** The number of errors in the constant. */
  readonly errors: number;
}

/** Prints the constant with the rules of a service. */
export function printServiceRules(
  typeName: string,
  ideal: string,
  rules: SharedRules,
  file: AdapterFile,
): ServiceRules {
  const name = file.source.claim(ideal);
  const own = differing(actedOn(rules), { ...DEFAULT_RULES });
  const literal = printInline(withCodes(own, rules.errors, file));
  const type = onlyTypeScript(` satisfies Partial<${file.runtimeType("MethodRules")}>`);
  file.source.add(
    "",
    ...docComment(`Rules of all methods of ${typeName}.`),
    `const ${name} = ${literal}${type};`,
  );
  return { name, inherited: { ...DEFAULT_RULES, ...own }, errors: rules.errors.length };
}

/**
 * Returns the rules of a method as an expression: the rules of its service, and the differences from them.
 */
export function methodRules({ rules }: MethodModel, shared: ServiceRules, file: AdapterFile): string {
  const acted = actedOn(rules);
  // a method may have no envelope although its service has one
  const unset = Object.keys(shared.inherited).filter((key) => acted[key] === undefined);
  const own = Object.entries(differing(acted, shared.inherited));
  const members = [
    `...${shared.name}`,
    ...unset.map((key) => `${key}: undefined`),
    ...own.map(([key, value]) =>
      key === "errors"
        ? `errors: ${errorList(rules.errors, shared, file)}`
        : printInline({ [key]: value }).slice(2, -2),
    ),
  ];
  return members.length === 1 ? shared.name : `{ ${members.join(", ")} }`;
}

/** Returns the rules that the runtime applies, without the rules that are printed into functions. */
function actedOn(rules: SharedRules): Printed {
  const all = Object.entries<unknown>({ ...rules }) as Array<[string, Literal]>;
  return Object.fromEntries(all.filter(([key]) => !PRINTED_RULES.some((name) => name === key)));
}

function differing(rules: Printed, inherited: Printed): Printed {
  const isOther = ([key, value]: [string, Literal]) =>
    JSON.stringify(value) !== JSON.stringify(inherited[key]);
  return Object.fromEntries(Object.entries(rules).filter(isOther));
}

function withCodes(rules: Printed, errors: readonly ErrorRule[], file: AdapterFile): Printed {
  if (rules.errors === undefined) return rules;
  return { ...rules, errors: errors.map((error) => withCode(error, file)) };
}

/** Returns an error rule with the name of its code. */
function withCode(error: ErrorRule, file: AdapterFile): Literal {
  const name = CODES[error.code ?? 0];
  if (name === undefined) return error;
  return { ...error, code: new Expression(`${file.runtimeValue("Code")}.${name}`) };
}

/** Returns the errors of a method, followed by the errors of its service. */
function errorList(errors: readonly ErrorRule[], shared: ServiceRules, file: AdapterFile): string {
  const own = errors
    .slice(0, errors.length - shared.errors)
    .map((error) => printInline(withCode(error, file)));
  return `[${[...own, ...(shared.errors > 0 ? [`...${shared.name}.errors`] : [])].join(", ")}]`;
}
