import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { MaskService } from "../gen/world/v1/pens_pb.ts";
import { MaskServiceRest } from "../gen/world/v1/pens_rest.ts";
import { start } from "../rules/world.ts";

const masks = () => start(MaskService, MaskServiceRest);

test("unset: EMPTY: a mask sends its unset fields as null, an empty list, an empty map or zero", async () => {
  const { client, seen } = await masks();
  const paths = ["nick_name", "tags", "notes", "owner.first_name", "ink_left", "is_open", "past_owners"];
  await client.mergePen({ id: "1", pen: {}, updateMask: { paths } });
  expect(seen[0]?.line).toBe("PATCH /pens/1");
  expect(JSON.parse(seen[0]?.text ?? "")).toEqual({
    label: null,
    tags: [],
    notes: {},
    owner: { firstName: null },
    inkLeft: "0",
    isOpen: false,
    history: [],
  });
});

test("a mask sends its set fields, can remove map keys, and clears a whole message", async () => {
  const { client, seen } = await masks();
  const pen = { nickName: "N", notes: { a: "A" }, owner: { firstName: "F" } };
  const paths = ["nick_name", "notes.b", "notes.a", "owner.best_pen.tags"];
  await client.mergePen({ id: "1", pen, updateMask: { paths } });
  await client.mergePen({ id: "1", updateMask: { paths: ["owner.first_name", "owner"] } });
  expect(seen.map(({ text }) => JSON.parse(text))).toEqual([
    { label: "N", notes: { a: "A", b: null }, owner: { firstName: "F", bestPen: { tags: [] } } },
    { owner: null },
  ]);
});

test("an unknown path in a mask gets INVALID_ARGUMENT, and no request is sent", async () => {
  const { client, seen } = await masks();
  const paths = ["tags", "label", "past_owners.first_name", "owner.x", "nick_name.y", "__proto__"];
  const error = await failureOf(client.mergePen({ id: "1", updateMask: { paths } }));
  expect(error.code).toBe(Code.InvalidArgument);
  expect(error.rawMessage).toContain("__proto__, label, nick_name.y, owner.x, past_owners.first_name");
  expect(seen).toEqual([]);
});

test("unset: NULL: a mask also sends unset lists as null, and without a mask no field is cleared", async () => {
  const { client, seen } = await masks();
  await client.patchTags({ id: "1", fields: { paths: ["tag_names", "nick"] } });
  await client.patchTags({ id: "1", nick: "N" });
  await client.mergePen({ id: "1" });
  expect(seen.map(({ text }) => text)).toEqual(['{"nick":null,"tag_names":null}', '{"nick":"N"}', ""]);
});

test("`*` in a mask selects all fields", async () => {
  const { client, seen } = await masks();
  await client.patchTags({ id: "1", nick: "N", fields: { paths: ["*"] } });
  expect(JSON.parse(seen[0]?.text ?? "")).toMatchObject({ nick: "N", tag_names: null });
});

test("a mask in a body or query has the upstream's names", async () => {
  const { client, seen } = await masks();
  const paths = ["nick_name", "owner.first_name", "past_owners.*.first_name", "notes.my_key", "other_field"];
  await client.changePen({ changed: { paths } });
  await client.getPen({ id: "1", fields: { paths } });
  await client.getDeclaredPen({ id: "1", fields: { paths } });
  const wire = "label,owner.firstName,history.*.firstName,notes.my_key,otherField";
  expect(JSON.parse(seen[0]?.text ?? "")).toEqual({ changed: wire });
  expect(decodeURIComponent(seen[1]?.line ?? "")).toBe(`GET /pens/1?fields=${wire}`);
  expect(decodeURIComponent(seen[2]?.line ?? "")).toBe(
    "GET /declared/1?fields=label,owner.first_name,history.*.first_name,notes.my_key,other_field",
  );
});

test("the mask of a response is read with the names of the .proto file", async () => {
  const answer = { json: { locked: "family,firstName,bestPen.label,bestPen.notes.aKey" } };
  const { client } = await start(MaskService, MaskServiceRest, answer);
  expect((await client.getPen({ id: "1" })).locked?.paths).toEqual([
    "last_name",
    "first_name",
    "best_pen.nick_name",
    "best_pen.notes.aKey",
  ]);
});

test("a oneof member in a mask selects the keys of the member's fields", async () => {
  const { client, seen } = await masks();
  const paths = ["photo", "drawing.drawn_with.nick_name", "sale.unit_price", "gift", "__proto__"];
  const leaflet = { picture: { case: "photo" as const, value: { fileName: "F" } }, Proto: "P" };
  await client.mergeLeaflet({ id: "1", leaflet, updateMask: { paths } });
  const wire = "pictureKind,file,width,drawn_with.label,news.unit_price,news,__proto__";
  expect(decodeURIComponent(seen[0]?.line ?? "")).toBe(`PATCH /leaflets/1?update_mask=${wire}`);
  expect(JSON.parse(seen[0]?.text ?? "")).toEqual(
    JSON.parse(
      '{"pictureKind":"photo","file":"F","width":null,"drawn_with":{"label":null},"news":null,"__proto__":"P"}',
    ),
  );
});

test("`*` leaves out oneof members without a key, and a path inside such a member selects only its own fields", async () => {
  const { client, seen } = await masks();
  await client.mergeLeaflet({ id: "1", updateMask: { paths: ["*"] } });
  const error = await failureOf(
    client.mergeLeaflet({ id: "1", updateMask: { paths: ["photo.drawn_with"] } }),
  );
  expect(error.rawMessage).toContain("names no field of the message: photo.drawn_with");
  expect(JSON.parse(seen[0]?.text ?? "")).toEqual(
    JSON.parse('{"heading":"","caption":null,"news":null,"__proto__":""}'),
  );
  expect(seen).toHaveLength(1);
});

test("keys in the mask of a response are read as paths into the oneof members that have these keys", async () => {
  const locked =
    "file,width,drawnWith.bestPen,drawnWith.label,news.fromWhom,news.unitPrice,news.other,Proto,heading";
  const { client } = await start(MaskService, MaskServiceRest, { json: { locked } });
  expect((await client.mergeLeaflet({ id: "1" })).locked?.paths).toEqual([
    "photo.file_name",
    "photo.width",
    "drawing.drawn_with.best_pen",
    "drawing.drawn_with.nick_name",
    "gift.from_whom",
    "sale.unit_price",
    "sale.other",
    "__proto__",
    "heading",
  ]);
});
