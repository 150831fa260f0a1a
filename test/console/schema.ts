/** The schema of all APIs of this repository, as the console receives it. */

import { readFileSync } from "node:fs";
import type { DescService } from "@bufbuild/protobuf";
import { toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { parse } from "yaml";
import { Schema } from "../../console/src/schema.ts";
import { createFileIndex } from "../../gateway/src/reflection/file-index.ts";
import { BlogService } from "../../gen/blog/v1/blog_pb.ts";
import { EmbedService } from "../../gen/blog/v1/embed_pb.ts";
import { PostService } from "../../gen/blog/v1/post_pb.ts";
import { CommunityService } from "../../gen/community/v1/community_pb.ts";
import { EventService } from "../../gen/events/v1/events_pb.ts";
import { FilterService } from "../../gen/user/v1/filter_pb.ts";
import { UserService } from "../../gen/user/v1/user_pb.ts";

/** The services in the configuration of this repository. */
export const ALL_SERVICES: readonly DescService[] = [
  ...[BlogService, PostService, EmbedService, UserService, FilterService, CommunityService, EventService],
];

export async function consoleSchema(): Promise<Schema> {
  const { examples } = parse(readFileSync("connect-rest.yaml", "utf8")) as {
    examples: Record<string, never>;
  };
  const services = ALL_SERVICES.map(({ typeName }) => typeName);
  const file = createFileIndex(ALL_SERVICES).files();
  const bytes = toBinary(FileDescriptorSetSchema, { $typeName: "google.protobuf.FileDescriptorSet", file });
  return new Schema({ version: "0", services, examples, hasExplain: true }, bytes, {});
}
