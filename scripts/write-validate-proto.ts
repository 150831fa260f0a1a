/**
 * Writes `.protovalidate/buf/validate/validate.proto`, which the APIs' protos import. The npm registry has no
 * copy of the source, but `@bufbuild/protovalidate` contains its descriptor. Runs after `npm ci`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { printProto } from "./print-proto.ts";

const target = new URL("../.protovalidate/buf/validate/validate.proto", import.meta.url).pathname;
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, printProto(file_buf_validate_validate));
