/**
 * Writes `plugin/protos/`, the module with the .proto files that annotated files import: validate.proto,
 * files of Google, and the annotations. Projects name this module in `buf.yaml`. The APIs of this repository
 * import validate.proto from it. Runs after `npm ci`.
 *
 * Here the annotations are a link, so that edits apply to such projects immediately. The npm registry has no
 * copy of validate.proto, but `@bufbuild/protovalidate` contains its descriptor.
 */
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { printProto } from "./print-proto.ts";

const GOOGLE: readonly string[] = [
  "api/annotations.proto",
  "api/client.proto",
  "api/field_behavior.proto",
  "api/http.proto",
  "api/httpbody.proto",
  "api/launch_stage.proto",
  "api/resource.proto",
  "rpc/code.proto",
];

const root = join(import.meta.dirname, "..");
const module = join(root, "plugin/protos");
const validate = join(module, "buf/validate/validate.proto");

rmSync(module, { recursive: true, force: true });
mkdirSync(dirname(validate), { recursive: true });
writeFileSync(validate, printProto(file_buf_validate_validate));
for (const file of GOOGLE) {
  cpSync(join(root, "node_modules/google-proto-files/google", file), join(module, "google", file));
}
symlinkSync("../../proto/connectrest", join(module, "connectrest"));
