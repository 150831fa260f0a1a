import type { DescFile, DescMethod, DescService } from "@bufbuild/protobuf";
import { checkBindings, unreachable } from "./check/bindings.ts";
import { Checker } from "./check/check.ts";
import { checkMethodTexts } from "./check/rule-texts.ts";
import { checkUnusedRules } from "./check/unused-rules.ts";
import { longestNamed } from "./descriptors/names.ts";
import { nameOf, type Problem, Problems } from "./diagnostics/problem.ts";
import { freeze } from "./model/freeze.ts";
import type { FileModel, MethodModel, ServiceModel } from "./model/model.ts";
import { FieldUses } from "./model/uses.ts";
import { parseMethod } from "./parse/method.ts";
import { methodRules, serviceRules } from "./parse/options.ts";
import { parseServiceRules } from "./parse/rules.ts";
import { checkMapped } from "./parse/service.ts";
import { typeModels } from "./parse/types.ts";
import { type AdapterFile, Generation } from "./print/adapter-file.ts";
import { printComments } from "./print/comment-files.ts";
import { type PrintedFile, printAdapters, printCommentText, printText } from "./print/file.ts";
import { LONGEST_LINE, longestLine } from "./print/long-lines.ts";
import type { Options } from "./protocol/options.ts";
import { VERSION } from "./version.ts";

/** The result of a run: files, or all problems of the input, one per line. */
export type Generated =
  | {
      readonly files: readonly PrintedFile[];
      /** The omitted methods, one per line: methods that cannot be mapped, with `unsupported=skip`. */
      readonly warnings: readonly string[];
      readonly error?: undefined;
    }
  | { readonly files?: undefined; readonly error: string };

/** The adapters of a run before their text is assembled, or all problems of the input, one per line. */
export type Prepared =
  | {
      /** The models parsed from the files. */
      readonly models: readonly FileModel[];
      readonly adapters: readonly AdapterFile[];
      readonly warnings: readonly string[];
      readonly error?: undefined;
    }
  | { readonly models?: undefined; readonly adapters?: undefined; readonly error: string };

/**
 * Generates adapters for files: parses, checks, prints. A pure function of its arguments.
 *
 * @param known problems found earlier, which are reported together with the problems of the files
 */
export function generate(
  files: readonly DescFile[],
  options: Options,
  known: Iterable<Problem> = [],
): Generated {
  const prepared = prepare(files, options, known);
  if (prepared.error !== undefined) return prepared;
  const problems = new Problems(options.protoPath);
  const printed = prepared.adapters.flatMap((file) => {
    const texts = printText(file, VERSION, options);
    for (const text of texts) checkLength(text, file.desc, problems);
    return texts;
  });
  if (options.comments) {
    const comments = printComments(prepared.models, options);
    printed.push(...comments.flatMap((file) => printCommentText(file, VERSION, options)));
  }
  if (problems.size > 0) return { error: problems.toString() };
  return { files: printed, warnings: prepared.warnings };
}

/**
 * Does the work of `generate` except assembling the text of the files. Other generators use the result to add
 * to the adapters.
 *
 * @param known problems found earlier, which are reported together with the problems of the files
 */
export function prepare(
  files: readonly DescFile[],
  options: Options,
  known: Iterable<Problem> = [],
): Prepared {
  const run = new Run(options);
  run.problems.addAll(known);
  const models = files.map((file) => run.parseFile(file));
  const uses = new FieldUses(typeModels);
  uses.addFiles(files, models);
  checkUnusedRules(uses, typeModels, run.problems);
  if (run.problems.size > 0) return { error: run.problems.toString() };
  const adapters = printAdapters(models, new Generation(files, typeModels, options), options);
  return { models, adapters, warnings: run.warnings.lines() };
}

/**
 * Reports lines that are still too long once all breakable lines have been broken: they contain a name of
 * tens of thousands of letters.
 */
function checkLength({ path, content }: PrintedFile, desc: DescFile, problems: Problems): void {
  const length = longestLine(content);
  if (length <= LONGEST_LINE) return;
  const longest = longestNamed(desc);
  const text = `the name \`${nameOf(longest)}\` is too long for one line of code: ${path} would have a line of ${length} bytes; expected ${LONGEST_LINE} at most`;
  problems.add(longest, [], "name-too-long", text);
}

/** One run of the generator, and its results. */
class Run {
  readonly problems: Problems;
  readonly warnings: Problems;
  private readonly options: Options;
  private readonly checker = new Checker(typeModels);

  constructor(options: Options) {
    this.options = options;
    this.problems = new Problems(options.protoPath);
    this.warnings = new Problems(options.protoPath);
  }

  parseFile(desc: DescFile): FileModel {
    const services = desc.services
      .map((service) => this.parseService(service))
      .filter((service) => service.methods.length > 0);
    return freeze({ desc, services });
  }

  private parseService(desc: DescService): ServiceModel {
    checkMapped(desc, this.problems);
    const methods = desc.methods
      .map((method) => this.parseMethod(method))
      .filter((method): method is MethodModel => method !== undefined);
    return { desc, annotation: serviceRules(desc), rules: parseServiceRules(desc), methods };
  }

  /** Parses a method. Returns undefined, and reports a problem or a warning, if the method cannot be used. */
  private parseMethod(desc: DescMethod): MethodModel | undefined {
    const found = new Problems();
    const parsed = parseMethod(desc, found);
    if (parsed !== undefined || found.size > 0) {
      checkMethodTexts(desc, methodRules(desc), serviceRules(desc.parent), found);
    }
    if (parsed !== undefined) found.addAll(this.checker.check(parsed));
    if (found.size === 0) return parsed && this.reachableBindings(parsed);
    const skip = this.skips && [...found].every((problem) => problem.unsupported);
    (skip ? this.warnings : this.problems).addAll(found);
    return undefined;
  }

  /** Returns a method without its unreachable bindings. */
  private reachableBindings(method: MethodModel): MethodModel {
    const unused = unreachable(method);
    if (unused.length === 0) return method;
    checkBindings(method, this.skips ? this.warnings : this.problems);
    return freeze({ ...method, bindings: method.bindings.filter((binding) => !unused.includes(binding)) });
  }

  private get skips(): boolean {
    return this.options.unsupported === "skip";
  }
}
