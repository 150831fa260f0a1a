import { CONFIGURATION_FILE, configuration } from "./configuration.ts";
import type { Project } from "./model.ts";
import { readme } from "./readme.ts";

/** The folder of the `.proto` files. */
export const PROTO_FOLDER = "proto";
/** The file for rules that users add to the imported files. */
export const RULES_FILE = "rules.yaml";

/** Returns the files of a project that are written only once, because users edit them. */
export function projectFiles(project: Project): ReadonlyMap<string, string> {
  return new Map([
    [CONFIGURATION_FILE, configuration(project)],
    [RULES_FILE, rules(project)],
    ["README.md", readme(project)],
  ]);
}

function rules({ likelyPages }: Project): string {
  if (likelyPages.length === 0) return RULES;
  const lines = likelyPages.map((option) => `#   ${option}\n`);
  return `${RULES}# Lists that may have pages. Each option adds a method that streams all items, with the rule after the colon:\n${lines.join("")}`;
}

const RULES = `# Rules beside those of the imported .proto files, which are not for editing: pages, errors, units of times.
# The section "Service configs" of the annotations says how they are written.
type: google.api.Service
config_version: 3
`;
