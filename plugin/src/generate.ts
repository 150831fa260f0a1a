import type { DescFile, DescMethod, DescService } from "@bufbuild/protobuf";
import { check } from "./check/check.ts";
import { Problems } from "./diagnostics/problem.ts";
import type { FileModel, MethodModel, ServiceModel } from "./model/model.ts";
import { parseMethod } from "./parse/method.ts";
import { parseServiceRules } from "./parse/rules.ts";
import { Generation } from "./print/adapter-file.ts";
import { type PrintedFile, printFiles } from "./print/file.ts";
import type { Options } from "./protocol/parameter.ts";
import { version } from "./version.ts";

/** What generating came to: files, or all problems of the input, one a line. */
export type Generated =
  | { readonly files: readonly PrintedFile[]; readonly error?: undefined }
  | { readonly files?: undefined; readonly error: string };

/** Generates adapters for files: parse, check, print. A pure function of its arguments. */
export function generate(files: readonly DescFile[], options: Options): Generated {
  const problems = new Problems();
  const models = files.map((file) => parseFile(file, problems));
  check(models, problems);
  if (problems.size > 0) return { error: problems.toString() };
  return { files: printFiles(models, new Generation(files, options.importExtension), version) };
}

function parseFile(desc: DescFile, problems: Problems): FileModel {
  const services = desc.services
    .map((service) => parseService(service, problems))
    .filter((service) => service.methods.length > 0);
  return Object.freeze({ desc, services });
}

function parseService(desc: DescService, problems: Problems): ServiceModel {
  return { desc, rules: parseServiceRules(desc), methods: parseMethods(desc.methods, problems) };
}

function parseMethods(methods: readonly DescMethod[], problems: Problems): MethodModel[] {
  return methods
    .map((method) => parseMethod(method, problems))
    .filter((method): method is MethodModel => method !== undefined);
}
