import type { World } from "../world.ts";
import { rejectFeed } from "./caller.ts";

export interface Account {
  readonly id: number;
  readonly login: string;
  readonly kind: "user" | "organization";
}

export interface Repo {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly private: number;
  readonly network: number;
}

const notFound = () => rejectFeed(404, "Not Found");

/** Finds an account by login or, for paths with ids, by id. Throws 404 if it is missing. */
export function requireAccount(
  world: World,
  kind: Account["kind"],
  by: { login: string } | { id: string },
): Account {
  const [column, value] = "login" in by ? (["login", by.login] as const) : (["id", by.id] as const);
  if (column === "id" && !/^\d{1,15}$/.test(value)) throw notFound();
  const row = world.db.get<Account>(
    `SELECT * FROM feed_accounts WHERE ${column} = ? AND kind = ?`,
    column === "id" ? Number(value) : value,
    kind,
  );
  if (!row) throw notFound();
  return row;
}

function visible(world: World, repo: Repo | undefined, login: string | undefined): Repo {
  if (!repo) throw notFound();
  if (repo.private === 0) return repo;
  const owner = repo.owner.toLowerCase() === login?.toLowerCase();
  const member =
    world.db.count(
      "SELECT COUNT(*) AS n FROM feed_members WHERE org = ? AND login = ?",
      repo.owner,
      login ?? "",
    ) > 0;
  if (!owner && !member) throw notFound();
  return repo;
}

/**
 * Finds a repository by id. Throws 404 if it is missing, or if it is private and the caller is not its owner.
 */
export function requireRepoById(world: World, id: string, login: string | undefined): Repo {
  if (!/^\d{1,15}$/.test(id)) throw notFound();
  return visible(world, world.db.get<Repo>("SELECT * FROM feed_repos WHERE id = ?", Number(id)), login);
}

/**
 * Finds a repository by owner and name. For a former name, throws a 301 to the address that `moved` returns
 * for the repository's id.
 */
export function requireRepo(
  world: World,
  owner: string,
  name: string,
  login: string | undefined,
  moved: (id: number) => string,
): Repo {
  const found = world.db.get<Repo>("SELECT * FROM feed_repos WHERE owner = ? AND name = ?", owner, name);
  if (found) return visible(world, found, login);
  const old = world.db.get<{ repo: number }>(
    "SELECT repo FROM feed_renames WHERE owner = ? AND name = ?",
    owner,
    name,
  );
  if (!old) throw notFound();
  const repo = visible(world, world.db.get<Repo>("SELECT * FROM feed_repos WHERE id = ?", old.repo), login);
  const url = moved(repo.id);
  throw rejectFeed(301, "Moved Permanently", { headers: { location: url }, body: { url } });
}
