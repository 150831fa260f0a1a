import type { DescField } from "@bufbuild/protobuf";
import type { BindingModel, BodyModel, FieldPath, Parameters } from "./model.ts";

/** Returns the request fields in a body. */
export function bodyFields(body: BodyModel): readonly DescField[] {
  switch (body.kind) {
    case "fields":
      return body.fields;
    case "field":
    case "lines":
      return [body.field];
    case "form":
      return parameterFields(body);
    case "multipart":
      return [...body.fields, ...body.parts.map(([field]) => field)];
    default:
      return body.kind === "http-body" && body.field !== undefined ? [body.field] : [];
  }
}

function parameterFields({ paths, choices }: Parameters): DescField[] {
  return [...paths.map(([field]) => field), ...choices.flatMap(({ oneof }) => oneof.fields)];
}

/** Returns the paths whose values are parameters of a query, a form or multipart parts. */
export function parameterPaths({ query, body }: BindingModel): FieldPath[] {
  const isForm = body.kind === "form" || body.kind === "multipart";
  const ofChoices = isForm
    ? body.choices.flatMap(({ members }) => members.flatMap(({ paths }) => paths))
    : [];
  return [...query, ...(isForm ? body.paths : []), ...ofChoices];
}
