import { useEffect, useState } from "preact/hooks";
import { discover, OtherAddress } from "./oauth.ts";
import { session } from "./session.ts";

interface SignInPageProps {
  /** Why the person is not signed in; undefined if the person has not tried to sign in yet. */
  readonly problem: string | undefined;
  /** Called with the token of a person who cannot sign in here. */
  readonly onToken: () => void;
}

/** The page for a person who has not signed in. It names nothing that the gateway serves. */
export function SignInPage({ problem: before, onToken }: SignInPageProps) {
  const [problem, setProblem] = useState(before);
  const [elsewhere, setElsewhere] = useState<string>();
  const [canSignIn, setCanSignIn] = useState(true);
  const [isLeaving, setIsLeaving] = useState(false);
  const fail = (error: unknown) => {
    setIsLeaving(false);
    if (error instanceof OtherAddress) setElsewhere(error.issuer);
    setProblem(error instanceof Error ? error.message : String(error));
  };
  useEffect(() => {
    discover().then((metadata) => setCanSignIn(metadata.authorization_endpoint !== undefined), fail);
  }, []);
  const leave = () => {
    setIsLeaving(true);
    session.signIn().catch(fail);
  };
  return (
    <main class="sign-in" id="main">
      <h1>Sign in to the console</h1>
      <p class="lead">This gateway shows what it serves to people who have signed in.</p>
      {problem === undefined ? null : <p role="alert">{problem}</p>}
      {elsewhere !== undefined ? (
        <p>
          Open the console at <a href={`${elsewhere}/${location.hash}`}>{elsewhere}</a>.
        </p>
      ) : canSignIn ? (
        <>
          <button type="button" class="primary" disabled={isLeaving} onClick={leave}>
            Sign in
          </button>
          <p class="note">
            The page keeps your tokens in its memory only. Reloading or closing the page ends the session.
          </p>
        </>
      ) : (
        <TokenForm onToken={onToken} />
      )}
    </main>
  );
}

/** Takes a token at a gateway where only programs have accounts. */
function TokenForm({ onToken }: { onToken: () => void }) {
  const [token, setToken] = useState("");
  const use = () => {
    session.use(token.trim());
    onToken();
  };
  return (
    <div class="token">
      <label for="token">Access token</label>
      <input
        id="token"
        type="password"
        autoComplete="off"
        spellcheck={false}
        value={token}
        onInput={(event) => setToken(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && token.trim() !== "") use();
        }}
      />
      <button type="button" class="primary" disabled={token.trim() === ""} onClick={use}>
        Use the token
      </button>
      <p class="note">People cannot sign in here. The page keeps the token in its memory only.</p>
    </div>
  );
}
