import { create } from "@bufbuild/protobuf";
import {
  type GeneratedCodeInfo,
  type GeneratedCodeInfo_Annotation,
  GeneratedCodeInfo_AnnotationSchema,
  GeneratedCodeInfoSchema,
} from "@bufbuild/protobuf/wkt";
import type { Inserted } from "./insert.ts";

/**
 * Returns the annotations of a file after an insertion. The annotations of the inserted text move to its
 * position, and later annotations move by the length of the inserted text. Offsets count bytes. An annotation
 * that contains the position is not extended.
 */
export function mergeCodeInfo(
  file: GeneratedCodeInfo,
  insertion: GeneratedCodeInfo | undefined,
  inserted: Inserted,
): GeneratedCodeInfo {
  const added = (insertion?.annotation ?? []).map((annotation) => place(annotation, inserted));
  const length = inserted.text.length + inserted.indent * count(inserted.text, inserted.text.length);
  const behind = (annotation: GeneratedCodeInfo_Annotation) => annotation.begin >= inserted.offset;
  const first = file.annotation.findIndex(behind);
  const moved = file.annotation.map((annotation) =>
    behind(annotation) ? moveBy(annotation, length, length) : annotation,
  );
  const at = first < 0 ? moved.length : first;
  return create(GeneratedCodeInfoSchema, { annotation: moved.toSpliced(at, 0, ...added) });
}

function place(annotation: GeneratedCodeInfo_Annotation, inserted: Inserted): GeneratedCodeInfo_Annotation {
  const { begin, end } = annotation;
  // no indented line follows the last line feed
  const body = inserted.text.slice(0, -1);
  const shift = (offset: number) => inserted.offset + inserted.indent * (1 + count(body, offset));
  return moveBy(annotation, shift(begin), shift(end));
}

function moveBy(
  annotation: GeneratedCodeInfo_Annotation,
  begin: number,
  end: number,
): GeneratedCodeInfo_Annotation {
  return create(GeneratedCodeInfo_AnnotationSchema, {
    ...annotation,
    begin: annotation.begin + begin,
    end: annotation.end + end,
  });
}

/** Returns the number of line feeds before an offset. */
function count(text: string, offset: number): number {
  return text.slice(0, Math.max(0, offset)).split("\n").length - 1;
}
