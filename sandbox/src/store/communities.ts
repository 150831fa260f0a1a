import { readJson } from "../json.ts";
import type { Database } from "./database.ts";

export const ROLES = ["member", "moderator", "admin"] as const;
export type Role = (typeof ROLES)[number];

export const JOIN_TYPES = ["invite", "free"] as const;
export type JoinType = (typeof JOIN_TYPES)[number];

/** The relation of a blog to a community: a role, or the state before or after membership. */
export type Standing = Role | "nobody" | "invited" | "banned";

/** A community in the store. */
export interface Community {
  readonly uuid: string;
  handle: string;
  /** The time of the last change of the handle in seconds, or null if it never changed. */
  handleChanged: number | null;
  private: boolean;
  joinType: JoinType;
  inviteLinks: boolean;
  /** The secret part of the invite link. Earlier secrets are not stored. */
  inviteHash: string | null;
  modsCanInvite: boolean;
  automodLinks: boolean;
  /** The maximum number of members, or null for no limit. */
  populationCap: number | null;
  /** Whether the service set the content label, so that admins cannot change it. */
  readonly labelLocked: boolean;
  readonly created: number;
  data: CommunityData;
}

/** The description of the community, in the form in which it is shown. */
export interface CommunityData {
  title: string;
  description: string;
  about: string;
  guidelines: readonly string[];
  tags: readonly string[];
  has_content_label: boolean;
  content_label_categories: readonly string[];
  content_label_last_reporter: string | null;
}

interface CommunityRow {
  readonly uuid: string;
  readonly handle: string;
  readonly handle_changed: number | null;
  readonly private: number;
  readonly join_type: JoinType;
  readonly invite_links: number;
  readonly invite_hash: string | null;
  readonly mods_can_invite: number;
  readonly automod_links: number;
  readonly population_cap: number | null;
  readonly label_locked: number;
  readonly created: number;
  readonly data: string;
}

function fromRow(row: CommunityRow): Community {
  return {
    uuid: row.uuid,
    handle: row.handle,
    handleChanged: row.handle_changed,
    private: row.private === 1,
    joinType: row.join_type,
    inviteLinks: row.invite_links === 1,
    inviteHash: row.invite_hash,
    modsCanInvite: row.mods_can_invite === 1,
    automodLinks: row.automod_links === 1,
    populationCap: row.population_cap,
    labelLocked: row.label_locked === 1,
    created: row.created,
    data: readJson(row.data) as CommunityData,
  };
}

/** Inserts a community, or replaces the community with the same UUID. */
export function saveCommunity(db: Database, community: Community): void {
  db.run("DELETE FROM communities WHERE uuid = ?", community.uuid);
  db.insert("communities", {
    uuid: community.uuid,
    handle: community.handle,
    handle_changed: community.handleChanged,
    private: community.private ? 1 : 0,
    join_type: community.joinType,
    invite_links: community.inviteLinks ? 1 : 0,
    invite_hash: community.inviteHash,
    mods_can_invite: community.modsCanInvite ? 1 : 0,
    automod_links: community.automodLinks ? 1 : 0,
    population_cap: community.populationCap,
    label_locked: community.labelLocked ? 1 : 0,
    created: community.created,
    data: JSON.stringify(community.data),
  });
}

/** Finds a community by its handle or its UUID (`t:...`). */
export function findCommunity(db: Database, identifier: string): Community | undefined {
  const column = identifier.startsWith("t:") ? "uuid" : "handle";
  const row = db.get<CommunityRow>(`SELECT * FROM communities WHERE ${column} = ?`, identifier);
  return row && fromRow(row);
}

/** Returns the communities of a blog, in the order in which the blog joined them. */
export function communitiesOf(db: Database, blog: string): Community[] {
  return db
    .all<CommunityRow>(
      `SELECT communities.* FROM communities JOIN community_members ON community = uuid
       WHERE blog = ? ORDER BY joined, handle`,
      blog,
    )
    .map(fromRow);
}

export interface Member {
  /** UUID of the blog. */
  readonly blog: string;
  readonly role: Role;
  readonly joined: number;
  readonly muted: number;
}

export function findMember(db: Database, community: Community, blog: string): Member | undefined {
  return db.get<Member>(
    "SELECT * FROM community_members WHERE community = ? AND blog = ?",
    community.uuid,
    blog,
  );
}

/**
 * Returns the members: admins, then moderators, then the remaining members. Each group is in the order of
 * joining.
 */
export function membersOf(db: Database, community: Community): Member[] {
  return db.all<Member>(
    `SELECT * FROM community_members WHERE community = ?
     ORDER BY CASE role WHEN 'admin' THEN 0 WHEN 'moderator' THEN 1 ELSE 2 END, joined, blog`,
    community.uuid,
  );
}

export function memberCount(db: Database, community: Community): number {
  return db.count("SELECT COUNT(*) AS n FROM community_members WHERE community = ?", community.uuid);
}

export function adminCount(db: Database, community: Community): number {
  return db.count(
    "SELECT COUNT(*) AS n FROM community_members WHERE community = ? AND role = 'admin'",
    community.uuid,
  );
}

export function isFull(db: Database, community: Community): boolean {
  return community.populationCap !== null && memberCount(db, community) >= community.populationCap;
}

export function addMember(
  db: Database,
  community: Community,
  blog: string,
  role: Role,
  joined: number,
): void {
  db.insert("community_members", { community: community.uuid, blog, role, joined });
}

export function removeMember(db: Database, community: Community, blog: string): void {
  db.run("DELETE FROM community_members WHERE community = ? AND blog = ?", community.uuid, blog);
}

export function isBanned(db: Database, community: Community, blog: string): boolean {
  return (
    db.count(
      "SELECT COUNT(*) AS n FROM community_bans WHERE community = ? AND blog = ?",
      community.uuid,
      blog,
    ) > 0
  );
}

export function ban(db: Database, community: Community, blog: string): void {
  db.run("INSERT OR IGNORE INTO community_bans (community, blog) VALUES (?, ?)", community.uuid, blog);
}

/**
 * An invitation that is pending or has ended. An ended invitation explains the error that its recipient gets.
 */
export interface Invitation {
  readonly recipient: string;
  readonly sender: string;
  readonly state: "pending" | "accepted" | "gone";
  readonly message: string;
  readonly sent_on: number;
  /** 1 if further invitations are rejected. */
  readonly blocked: number;
}

export function findInvitation(db: Database, community: Community, blog: string): Invitation | undefined {
  return db.get<Invitation>(
    "SELECT * FROM community_invitations WHERE community = ? AND recipient = ?",
    community.uuid,
    blog,
  );
}

export function isInvited(db: Database, community: Community, blog: string): boolean {
  return findInvitation(db, community, blog)?.state === "pending";
}

/**
 * Adds an invitation. All invitations of a community have different seconds, so that paging by time skips
 * none.
 */
export function addInvitation(
  db: Database,
  community: Community,
  invitation: { sender: string; recipient: string; message: string; sentOn: number },
): void {
  const { sender, recipient, message, sentOn } = invitation;
  const taken = "SELECT COUNT(*) AS n FROM community_invitations WHERE community = ? AND sent_on = ?";
  let sent_on = sentOn;
  while (db.count(taken, community.uuid, sent_on) > 0) sent_on++;
  db.run(
    "DELETE FROM community_invitations WHERE community = ? AND recipient = ?",
    community.uuid,
    recipient,
  );
  db.insert("community_invitations", {
    community: community.uuid,
    recipient,
    sender,
    state: "pending",
    message,
    sent_on,
  });
}

/** Ends a pending invitation. With `blocked`, all further invitations are rejected. */
export function endInvitation(
  db: Database,
  community: Community,
  recipient: string,
  state: "accepted" | "gone",
  blocked = false,
): void {
  db.run(
    `UPDATE community_invitations SET state = ?, blocked = MAX(blocked, ?)
     WHERE community = ? AND recipient = ? AND state = 'pending'`,
    state,
    blocked ? 1 : 0,
    community.uuid,
    recipient,
  );
}

/** Returns a blog's standing in a community. */
export function standingOf(db: Database, community: Community, blog: string): Standing {
  if (isBanned(db, community, blog)) return "banned";
  const role = findMember(db, community, blog)?.role;
  return role ?? (isInvited(db, community, blog) ? "invited" : "nobody");
}
