/**
 * Installs test dependencies that are not npm packages. Otherwise each test would install them at its first
 * run.
 */
import { fetchDocuments } from "../scripts/import-counts.ts";
import { PREPARE } from "./clients/programs.ts";
import { installSuite } from "./conformance/suite.ts";
import { downloadSchemas } from "./deploy/schemas.ts";
import { downloadModules, downloadWheels } from "./packages/client-tools.ts";
import { INSTALL_TOOLS } from "./packages/platforms.ts";

const INSTALLATIONS = [
  installSuite,
  ...Object.values(PREPARE),
  ...INSTALL_TOOLS,
  downloadModules,
  downloadWheels,
  downloadSchemas,
];
for (const install of INSTALLATIONS) {
  const { problem } = await install();
  if (problem === undefined) continue;
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}

fetchDocuments();
