import type { DescMethod } from "@bufbuild/protobuf";
import { Problems } from "../diagnostics/problem.ts";
import type { Generator } from "../kit/generator.ts";
import { parseMethod } from "../parse/method.ts";
import { methodPoint, servicePoint } from "../print/insertion-point.ts";
import { breakLongLines } from "../print/long-lines.ts";
import { version } from "../version.ts";
import { ToolPrinter } from "./print-tools.ts";
import { type Tool, toolOf } from "./tool.ts";

/**
 * Adds to each adapter a table `XTools` of its methods as tools of a language model. A method that streams is no tool:
 * a call of a tool has one answer.
 */
export const toolsGenerator: Generator = {
  name: "protoc-gen-connect-rest-tools",
  version,
  description: "Adds to each generated adapter a table of its methods as tools of a language model.",
  generate(request) {
    for (const desc of request.files) {
      const file = request.adapterFile(desc);
      if (file === undefined) continue;
      const printer = new ToolPrinter(file);
      for (const service of desc.services) {
        const mapped = service.methods.filter((method) => file.has(methodPoint(method)));
        const tools = new Map(mapped.flatMap((method) => toolEntry(method)));
        if (tools.size === 0) continue;
        const text = printer.print(service, tools).join("\n");
        file.insert(servicePoint(service), breakLongLines(text));
      }
    }
  },
};

function toolEntry(method: DescMethod): Array<[string, Tool]> {
  if (method.methodKind !== "unary") return [];
  // protoc-gen-connect-rest has reported what is wrong, and made no insertion point
  const model = parseMethod(method, new Problems());
  return model === undefined ? [] : [[method.localName, toolOf(model)]];
}
