/** The tables. Post ids are strings of digits, so that no integer is rounded to a double. */
export const SCHEMA = `
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE IF NOT EXISTS users (name TEXT PRIMARY KEY, primary_blog TEXT NOT NULL, password TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS blogs (
  uuid TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, custom_domain TEXT UNIQUE, owner TEXT NOT NULL,
  private INTEGER NOT NULL DEFAULT 0, share_likes INTEGER NOT NULL DEFAULT 1, share_following INTEGER NOT NULL DEFAULT 1,
  updated INTEGER NOT NULL DEFAULT 0, queue_paused INTEGER NOT NULL DEFAULT 0, data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS members (
  blog TEXT NOT NULL, user TEXT NOT NULL, admin INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (blog, user));

CREATE TABLE IF NOT EXISTS posts (
  id TEXT PRIMARY KEY, blog TEXT NOT NULL, author TEXT NOT NULL, state TEXT NOT NULL, stored TEXT NOT NULL,
  type TEXT NOT NULL, timestamp INTEGER NOT NULL, tags TEXT NOT NULL, slug TEXT NOT NULL, format TEXT NOT NULL,
  reblog_key TEXT NOT NULL, parent_id TEXT, root_id TEXT NOT NULL, genesis_id TEXT, muted INTEGER NOT NULL DEFAULT 0,
  mute_end INTEGER NOT NULL DEFAULT 0, queue_position INTEGER, publish_on INTEGER, content TEXT NOT NULL, extra TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS posts_by_time ON posts (blog, state, timestamp, id);
CREATE INDEX IF NOT EXISTS posts_by_root ON posts (root_id);

CREATE TABLE IF NOT EXISTS notes (
  seq INTEGER PRIMARY KEY, root_id TEXT NOT NULL, type TEXT NOT NULL, micros INTEGER NOT NULL, blog TEXT NOT NULL,
  data TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS notes_by_root ON notes (root_id, micros);
CREATE TABLE IF NOT EXISTS likes (
  user TEXT NOT NULL, post_id TEXT NOT NULL, timestamp INTEGER NOT NULL, PRIMARY KEY (user, post_id));
CREATE TABLE IF NOT EXISTS follows (
  user TEXT NOT NULL, blog TEXT NOT NULL, timestamp INTEGER NOT NULL, PRIMARY KEY (user, blog));
CREATE INDEX IF NOT EXISTS follows_by_blog ON follows (blog, timestamp);
CREATE TABLE IF NOT EXISTS blocks (
  seq INTEGER PRIMARY KEY, blog TEXT NOT NULL, target TEXT, address TEXT, timestamp INTEGER NOT NULL,
  UNIQUE (blog, target), UNIQUE (blog, address));
CREATE TABLE IF NOT EXISTS notifications (
  seq INTEGER PRIMARY KEY, blog TEXT NOT NULL, type TEXT NOT NULL, timestamp INTEGER NOT NULL, target_post_id TEXT NOT NULL,
  data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS pages (
  blog TEXT NOT NULL, path TEXT NOT NULL, position INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (blog, path));
CREATE TABLE IF NOT EXISTS media (
  key TEXT PRIMARY KEY, owner TEXT NOT NULL, type TEXT NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL,
  timestamp INTEGER NOT NULL, ready_at INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS usage (
  subject TEXT NOT NULL, feature TEXT NOT NULL, day INTEGER NOT NULL, used INTEGER NOT NULL,
  PRIMARY KEY (subject, feature, day));

CREATE TABLE IF NOT EXISTS discovery (
  email TEXT PRIMARY KEY COLLATE NOCASE, blog TEXT NOT NULL, allowed INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS filters (
  seq INTEGER PRIMARY KEY, user TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (user, kind, value));

CREATE TABLE IF NOT EXISTS communities (
  uuid TEXT PRIMARY KEY, handle TEXT NOT NULL UNIQUE COLLATE NOCASE, handle_changed INTEGER, private INTEGER NOT NULL,
  join_type TEXT NOT NULL, invite_links INTEGER NOT NULL, invite_hash TEXT, mods_can_invite INTEGER NOT NULL,
  automod_links INTEGER NOT NULL, population_cap INTEGER, label_locked INTEGER NOT NULL, created INTEGER NOT NULL,
  data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS community_members (
  community TEXT NOT NULL, blog TEXT NOT NULL, role TEXT NOT NULL, joined INTEGER NOT NULL, muted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (community, blog));
CREATE INDEX IF NOT EXISTS community_members_by_blog ON community_members (blog);
CREATE TABLE IF NOT EXISTS community_bans (community TEXT NOT NULL, blog TEXT NOT NULL, PRIMARY KEY (community, blog));
CREATE TABLE IF NOT EXISTS community_invitations (
  community TEXT NOT NULL, recipient TEXT NOT NULL, sender TEXT NOT NULL, state TEXT NOT NULL, message TEXT NOT NULL,
  sent_on INTEGER NOT NULL, blocked INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (community, recipient));
CREATE TABLE IF NOT EXISTS community_posts (
  post_id TEXT PRIMARY KEY, community TEXT NOT NULL, removed INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS community_posts_by_community ON community_posts (community);
CREATE TABLE IF NOT EXISTS community_moderation (
  seq INTEGER PRIMARY KEY, post_id TEXT NOT NULL, action TEXT NOT NULL, reason TEXT, note TEXT NOT NULL, ts INTEGER NOT NULL,
  moderator TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS community_reactions (
  seq INTEGER PRIMARY KEY, post_id TEXT NOT NULL, emoji TEXT NOT NULL, blog TEXT NOT NULL, UNIQUE (post_id, emoji, blog));

CREATE TABLE IF NOT EXISTS consumers (
  key TEXT PRIMARY KEY, secret TEXT NOT NULL, name TEXT NOT NULL, callback TEXT NOT NULL, redirect_uris TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS oauth1_requests (
  token TEXT PRIMARY KEY, secret TEXT NOT NULL, consumer TEXT NOT NULL, callback TEXT NOT NULL, expires INTEGER NOT NULL,
  verifier TEXT, user TEXT);
CREATE TABLE IF NOT EXISTS oauth1_tokens (
  token TEXT PRIMARY KEY, secret TEXT NOT NULL, consumer TEXT NOT NULL, user TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS oauth1_nonces (
  consumer TEXT NOT NULL, token TEXT NOT NULL, timestamp INTEGER NOT NULL, nonce TEXT NOT NULL,
  PRIMARY KEY (consumer, token, timestamp, nonce));
CREATE TABLE IF NOT EXISTS oauth2_codes (
  code TEXT PRIMARY KEY, client TEXT NOT NULL, user TEXT NOT NULL, scope TEXT NOT NULL, redirect_uri TEXT, expires INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS oauth2_tokens (
  access TEXT PRIMARY KEY, refresh TEXT UNIQUE, client TEXT NOT NULL, user TEXT, scope TEXT NOT NULL, expires INTEGER NOT NULL,
  refresh_expires INTEGER);

CREATE TABLE IF NOT EXISTS feed_accounts (id INTEGER PRIMARY KEY, login TEXT NOT NULL UNIQUE COLLATE NOCASE, kind TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS feed_repos (
  id INTEGER PRIMARY KEY, owner TEXT NOT NULL COLLATE NOCASE, name TEXT NOT NULL COLLATE NOCASE, private INTEGER NOT NULL,
  network INTEGER NOT NULL, UNIQUE (owner, name));
CREATE TABLE IF NOT EXISTS feed_renames (
  owner TEXT NOT NULL COLLATE NOCASE, name TEXT NOT NULL COLLATE NOCASE, repo INTEGER NOT NULL, PRIMARY KEY (owner, name));
CREATE TABLE IF NOT EXISTS feed_members (org TEXT NOT NULL COLLATE NOCASE, login TEXT NOT NULL COLLATE NOCASE, PRIMARY KEY (org, login));
CREATE TABLE IF NOT EXISTS feed_watches (login TEXT NOT NULL COLLATE NOCASE, repo INTEGER, followed TEXT COLLATE NOCASE);
CREATE TABLE IF NOT EXISTS feed_tokens (token TEXT PRIMARY KEY, kind TEXT NOT NULL, login TEXT, scopes TEXT);
CREATE TABLE IF NOT EXISTS feed_events (
  id INTEGER PRIMARY KEY, type TEXT NOT NULL, actor TEXT NOT NULL COLLATE NOCASE, repo INTEGER NOT NULL,
  org TEXT COLLATE NOCASE, public INTEGER NOT NULL, created INTEGER NOT NULL, hidden INTEGER NOT NULL DEFAULT 0, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS feed_arrivals (event INTEGER PRIMARY KEY, visible INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS feed_arrivals_by_time ON feed_arrivals (visible);
CREATE INDEX IF NOT EXISTS feed_events_by_time ON feed_events (created, id);
`;
