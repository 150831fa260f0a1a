import { useState } from "preact/hooks";
import { missingScopes, needsToken, session } from "./session.ts";

/** The scopes of the person who has signed in, and a button to sign out. */
export function Account() {
  const { scopes } = session;
  return (
    <details class="account">
      <summary>Signed in</summary>
      <div>
        <h2>Scopes</h2>
        {scopes === undefined ? (
          <p>unknown</p>
        ) : (
          <ul>
            {scopes.map((scope) => (
              <li key={scope}>
                <code>{scope}</code>
              </li>
            ))}
          </ul>
        )}
        <button type="button" onClick={() => void session.signOut()}>
          Sign out
        </button>
      </div>
    </details>
  );
}

/** What a person can do about a token that is no longer valid, or lacks a scope. */
export function StepUp({ challenge }: { challenge: string | undefined }) {
  const [problem, setProblem] = useState<string>();
  const missing = missingScopes(challenge);
  if (!session.isSignedIn || (missing.length === 0 && !needsToken(challenge))) return null;
  const held = session.scopes?.join(", ");
  return (
    <div class="step-up">
      {missing.length === 0 ? null : (
        <p>
          The call needs the scope <code>{missing.join(" ")}</code>
          {held === undefined ? "." : <>; your token has {held}.</>}
        </p>
      )}
      <button
        type="button"
        onClick={() => session.signIn(missing).catch((error: unknown) => setProblem(String(error)))}
      >
        {missing.length === 0 ? "Sign in again" : "Sign in with this scope too"}
      </button>
      {problem === undefined ? null : <p role="alert">{problem}</p>}
    </div>
  );
}
