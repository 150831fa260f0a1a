import { type HeaderMap, type Rejection, reject } from "../http/response.ts";

/** The errors of the community endpoints that have a subcode. */
export const COMMUNITY_ERRORS = {
  messageTooLong: { status: 400, code: 5041, detail: "The message is longer than 100 characters" },
  postReactions: { status: 400, code: 22001, detail: "The post has as many reactions as a post may have" },
  ownReactions: { status: 400, code: 22002, detail: "You cannot add further reactions to this post" },
  privateCommunity: { status: 403, code: 23001, detail: "The community is private" },
  membersOnly: { status: 403, code: 23002, detail: "You must be a member of the community" },
  full: { status: 403, code: 23003, detail: "The community is at capacity" },
  cannotJoin: { status: 403, code: 23008, detail: "The blog is banned or cannot join" },
  alreadyMember: { status: 403, code: 23009, detail: "The blog is already a member" },
  alreadyInvited: { status: 403, code: 23011, detail: "The blog is already invited" },
  linkNotAllowed: { status: 403, code: 23012, detail: "You may not make a new invite link" },
  invalidHash: { status: 400, code: 23014, detail: "The invite hash is not valid" },
  invitationGone: { status: 403, code: 23015, detail: "The invitation is gone or was declined" },
  linksDisabled: { status: 403, code: 23017, detail: "Invite links are disabled" },
  banned: { status: 403, code: 23020, detail: "You are banned from the community" },
  labelLocked: { status: 400, code: 23025, detail: "The content label cannot be edited" },
  postNotFound: { status: 404, code: 24005, detail: "The post does not exist or was deleted" },
  alreadyRemoved: { status: 409, code: 24006, detail: "The post is already removed" },
  alreadyRestored: { status: 409, code: 24007, detail: "The post is already restored" },
} as const;

/** Returns an error with its subcode. */
export function communityError(name: keyof typeof COMMUNITY_ERRORS, headers: HeaderMap = {}): Rejection {
  const { status, code, detail } = COMMUNITY_ERRORS[name];
  return reject(status, detail, code, headers);
}
