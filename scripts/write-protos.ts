/**
 * Writes the .proto files that annotated files import. Runs after `npm ci`:
 *
 * - `.protovalidate/` has `buf/validate/validate.proto`, for this repository's APIs.
 * - `plugin/protos/` is the module that projects name in `buf.yaml`: validate.proto, files of Google, and the
 *   annotations. In the repository the annotations are a link, so that edits apply to such projects
 *   immediately.
 *
 * The npm registry has no copy of validate.proto, but `@bufbuild/protovalidate` contains its descriptor.
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
const validate = printProto(file_buf_validate_validate);

rmSync(module, { recursive: true, force: true });
for (const folder of [join(root, ".protovalidate"), module]) {
  const target = join(folder, "buf/validate/validate.proto");
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, validate);
}
for (const file of GOOGLE) {
  cpSync(join(root, "node_modules/google-proto-files/google", file), join(module, "google", file));
}
symlinkSync("../../proto/connectrest", join(module, "connectrest"));
