import type { DescFile } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { BlogService } from "../../gen/blog/v1/blog_pb.ts";
import { PostService } from "../../gen/blog/v1/post_pb.ts";
import { CommunityService } from "../../gen/community/v1/community_pb.ts";
import { FilterService } from "../../gen/user/v1/filter_pb.ts";
import { UserService } from "../../gen/user/v1/user_pb.ts";

/** Returns the packages of a file and its imports. */
function packagesOf({ proto, dependencies }: DescFile): ReadonlySet<string> {
  return new Set([proto.package, ...dependencies.flatMap((file) => [...packagesOf(file)])]);
}

const OWN = ["blog.v1", "user.v1", "community.v1"];

test.each([
  [BlogService, ["blog.v1"]],
  [PostService, ["blog.v1"]],
  [UserService, ["blog.v1", "user.v1"]],
  [FilterService, ["user.v1"]],
  [CommunityService, ["blog.v1", "community.v1"]],
] as const)(
  "%o: no package that the service imports also imports the service's own package",
  ({ file }, expected) => {
    expect(OWN.filter((name) => packagesOf(file).has(name)).sort()).toEqual([...expected].sort());
  },
);
