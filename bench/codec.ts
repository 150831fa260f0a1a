import { equals, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ListPostsResponseSchema } from "../gen/blog/v1/post_pb.ts";
import { decodeListPostsResponse } from "../gen/blog/v1/post_rest.ts";
import { ProtoWriter } from "../runtime/src/decode/proto-writer.ts";
import { readPage } from "./hand-written.ts";
import { PAGES } from "./pages.ts";
import { median } from "./statistics.ts";

/** How long one way from JSON to protobuf takes. */
export interface CodecFigures {
  readonly name: string;
  readonly microseconds: number;
  /** Divided by the first of all. */
  readonly ratio: number;
}

type Work = (json: string) => unknown;

const writer = new ProtoWriter();

function byDecoder(json: string): Uint8Array {
  const { response } = JSON.parse(json);
  writer.reset();
  writer.root(response, decodeListPostsResponse);
  return writer.finish();
}

const byHand = (json: string) => toBinary(ListPostsResponseSchema, readPage(json));

const WAYS: readonly (readonly [name: string, work: Work])[] = [
  ["by hand: JSON.parse, fromJson, toBinary", byHand],
  ["generated decoder: JSON.parse, writer", byDecoder],
  ["JSON.parse alone", (json) => JSON.parse(json)],
];

const BATCH = 50;
const BATCHES = 80;
const WARM_UP_BATCHES = 20;

/**
 * Measures the ways from the JSON of the largest page to protobuf bytes, in batches that take turns.
 *
 * @throws Error when they do not lead to the same message
 */
export function measureCodec(): CodecFigures[] {
  const json = PAGES.find(({ label }) => label === "25 KB")?.json ?? "";
  const [hand, decoder] = [byHand(json), byDecoder(json)].map((bytes) =>
    fromBinary(ListPostsResponseSchema, bytes),
  );
  if (!hand || !decoder || !equals(ListPostsResponseSchema, hand, decoder)) {
    throw new Error("codec: expected the same message by hand and from the generated decoder, got two");
  }
  const times = WAYS.map(() => [] as number[]);
  for (let batch = 0; batch < WARM_UP_BATCHES + BATCHES; batch++) {
    for (const [index, [, work]] of WAYS.entries()) {
      const time = timeOf(work, json);
      if (batch >= WARM_UP_BATCHES) times[index]?.push(time);
    }
  }
  const medians = times.map(median);
  const [first = Number.NaN] = medians;
  return WAYS.map(([name], index) => {
    const microseconds = medians[index] ?? Number.NaN;
    return { name, microseconds, ratio: microseconds / first };
  });
}

/** Microseconds for one. */
function timeOf(work: Work, json: string): number {
  const start = performance.now();
  for (let i = 0; i < BATCH; i++) work(json);
  return ((performance.now() - start) * 1000) / BATCH;
}
