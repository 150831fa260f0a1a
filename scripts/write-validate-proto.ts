/**
 * Writes `.protovalidate/buf/validate/validate.proto`, so that the APIs' protos can import it. Its source is
 * not on the npm registry, but its descriptor is inside `@bufbuild/protovalidate`. Runs after `npm ci`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { printProto } from "./print-proto.ts";

const target = new URL("../.protovalidate/buf/validate/validate.proto", import.meta.url).pathname;
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, printProto(file_buf_validate_validate));
