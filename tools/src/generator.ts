import { adapterPoint, type Generator, type KitRequest, printString } from "protoc-gen-connect-rest/kit";
import packageJson from "../package.json" with { type: "json" };
import { ToolFiles, toolsPath } from "./print/tool-file.ts";
import { type ToolModel, toolOf } from "./tool/tool.ts";

/** Writes `x_tools.ts` beside each adapter: its methods as tools of a language model. */
export const toolsGenerator: Generator = {
  name: packageJson.name,
  version: packageJson.version,
  description: "Describes the methods of each generated adapter as tools of a language model.",
  generate(request) {
    const files = new ToolFiles(request);
    const known = new Map<string, ToolModel>();
    for (const adapter of request.adapterFiles) {
      for (const service of adapter.services) {
        const tools = service.methods.map(toolOf);
        for (const tool of tools) checkName(tool, known, request);
        files.file(adapter.desc)?.addService(service, tools);
        const module = printString(adapter.relative(toolsPath(adapter.desc)));
        adapter.insert(adapterPoint(service.desc), `tools: () => import(${module}),`);
      }
    }
    files.finish();
  },
};

/** Hashes of long names may be equal, though hardly ever. */
function checkName(tool: ToolModel, known: Map<string, ToolModel>, request: KitRequest): void {
  const other = known.get(tool.name)?.desc;
  if (other !== undefined) {
    const text = `the tool would have the name ${tool.name}, as that of ${other.parent.typeName}.${other.name} has`;
    request.error(tool.desc, "tool-name", text);
  }
  known.set(tool.name, tool);
}
