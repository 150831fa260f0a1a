import { requireUser } from "../auth/caller.ts";
import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import { blogByUuid, primaryBlog } from "../store/blogs.ts";
import {
  type Community,
  type CommunityData,
  communitiesOf,
  findCommunity,
  JOIN_TYPES,
  ROLES,
  saveCommunity,
  standingOf,
} from "../store/communities.ts";
import { isOneOf, outsider, requireSaving, visit, visitAs } from "./access.ts";
import { fullCommunity, nextHandleChange, shortCommunity } from "./community-object.ts";
import { communityError } from "./errors.ts";

const HANDLE = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;
const LABEL_CATEGORIES: readonly string[] = ["sexual_themes", "violence", "drug_use"];

/** Handles GET /v2/communities. Lists the communities of the caller in their short form. */
export function listCommunities(call: Call): HttpResponse {
  const { db } = call.world;
  const blog = blogByUuid(db, primaryBlog(db, requireUser(call.caller)));
  return envelope(
    communitiesOf(db, blog.uuid).map((community) => {
      const standing = standingOf(db, community, blog.uuid);
      return shortCommunity(call, { community, blog, standing });
    }),
  );
}

/**
 * Handles GET /v2/communities/{community-handle}. A public community is visible to everybody except banned
 * users, a private community to members and invited users. `context=edit` is for members, and adds the
 * editable fields for admins.
 */
export function getCommunity(call: Call): HttpResponse {
  const found = visit(call);
  const edit = call.query.oneOf("context", ["", "edit"], "") === "edit";
  const { community, standing } = found;
  const member = isOneOf(standing, ROLES);
  const shown = member || (standing !== "banned" && !community.private) || standing === "invited";
  if (!shown || (edit && !member)) {
    throw edit && standing === "invited" ? communityError("membersOnly") : outsider(found);
  }
  return envelope(fullCommunity(call, found, edit));
}

function newHandle(call: Call, community: Community): Partial<Community> {
  if (!call.input.has("handle")) return {};
  const handle = (call.input.text("handle") ?? "").toLowerCase();
  if (!HANDLE.test(handle)) throw reject(400, `Invalid handle: ${handle}`);
  if (handle === community.handle) return {};
  const now = call.world.clock.seconds();
  const next = nextHandleChange(community, now);
  if (next !== undefined) throw reject(400, "The handle can change once in 7 days");
  if (findCommunity(call.world.db, handle)) throw reject(400, `The handle is taken: ${handle}`);
  return { handle, handleChanged: now };
}

function newLabel(call: Call, community: Community): Partial<CommunityData> {
  const { input } = call;
  const given = ["has_content_label", "content_label_categories"].filter((name) => input.has(name));
  if (given.length === 0) return {};
  if (community.labelLocked) throw communityError("labelLocked");
  const categories = input.has("content_label_categories")
    ? input.list("content_label_categories")
    : community.data.content_label_categories;
  const unknown = categories.find((category) => !LABEL_CATEGORIES.includes(category));
  if (unknown !== undefined) throw reject(400, `Invalid content_label_categories: ${unknown}`);
  const has = input.flag("has_content_label", community.data.has_content_label);
  return { has_content_label: has, content_label_categories: categories };
}

function newData(call: Call, community: Community): CommunityData {
  const { input } = call;
  const { data } = community;
  const text = (name: "description" | "about") => input.text(name) ?? data[name];
  const list = (name: "tags" | "guidelines") => (input.has(name) ? input.list(name) : data[name]);
  return {
    ...data,
    title: input.has("title") ? input.required("title") : data.title,
    description: text("description"),
    about: text("about"),
    tags: list("tags"),
    guidelines: list("guidelines"),
    ...newLabel(call, community),
  };
}

function newPrivacy(call: Call, community: Community): boolean {
  const privacy = call.input.integer("privacy") ?? (community.private ? 1 : 0);
  if (privacy > 1) throw reject(400, `Invalid privacy: expected 0 or 1, got ${privacy}`);
  return privacy === 1;
}

/**
 * Handles PUT /v2/communities/{community-handle}, for admins. Fields that are absent from the request do not
 * change.
 */
export function updateCommunity(call: Call): HttpResponse {
  const found = visitAs(call, ["admin"]);
  const { community } = found;
  const { input } = call;
  const updated: Community = {
    ...community,
    ...newHandle(call, community),
    private: newPrivacy(call, community),
    inviteLinks: input.flag("invite_links_enabled", community.inviteLinks),
    joinType: input.oneOf("join_type", JOIN_TYPES, community.joinType),
    modsCanInvite: input.flag("mods_can_invite", community.modsCanInvite),
    automodLinks: input.flag("automod_links", community.automodLinks),
    data: newData(call, community),
  };
  requireSaving(call);
  saveCommunity(call.world.db, updated);
  return envelope(fullCommunity(call, { ...found, community: updated }, true));
}
