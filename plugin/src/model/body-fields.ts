import type { DescField } from "@bufbuild/protobuf";
import type { BodyModel, Parameters } from "./model.ts";

/** The fields of the request that a body holds. */
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
