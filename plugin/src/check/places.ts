/** Checks that fields get to the places that their rules name. */
import type { DescField } from "@bufbuild/protobuf";
import { fieldRules, RULES } from "../descriptors/options.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { FieldRules_Location as Location } from "../gen/connectrest/v1/field_rules_pb.ts";
import type { BindingModel, MethodModel } from "../model/model.ts";
import { bodyFields } from "../parse/body.ts";

/** What is missing where no binding has the place that a field names. */
const REMEDIES: Readonly<Partial<Record<Location, string>>> = {
  [Location.PATH]: "in the path, but no path names it; write `{$}` into one",
  [Location.BODY]: 'in the body, but no binding has one that holds it; add `body: "*"`',
  [Location.PART]: 'a part, but no binding has parts; add `body: "*"` and request_encoding: MULTIPART',
};

/** Reports fields of a request that no binding sends, although they say where they go. */
export function checkPlacesUsed({ desc, bindings, stream }: MethodModel, problems: Problems): void {
  // an upload has a body of its own
  if (stream?.kind === "upload") return;
  const used = new Set(bindings.flatMap(fieldsOf));
  for (const field of desc.input.fields) {
    const remedy = REMEDIES[fieldRules(field).in];
    if (remedy === undefined || used.has(field)) continue;
    const text = `${nameOf(field)} is said to be ${remedy.replace("$", field.name)}, or take the rule away`;
    problems.add(field, [RULES, 1], "in-unused", text);
  }
}

function fieldsOf({ variables, body }: BindingModel): DescField[] {
  return [...[...variables.values()].map(([field]) => field), ...bodyFields(body)];
}
