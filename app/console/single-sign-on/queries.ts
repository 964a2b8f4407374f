import { useMutation } from "@tanstack/react-query";

import { type Area, change, ConsoleError, nameIn } from "#app/console/console-client.ts";
import { HOME, nextPage, SIGN_IN } from "#app/console/next-page.ts";
import { PopUpBlocked } from "#app/console/ui/errors.tsx";
import { clearDrafts } from "#app/console/ui/form/drafts.ts";

/** Key in the tab's session storage: the page to open after the sign-in, or `AGAIN`. */
const NEXT = "posthouse-next-page";

/** In a window that was opened by a page whose session has expired: that page continues after the sign-in. */
const AGAIN = "signed in again";

const CHANNEL = "posthouse-signed-in";

export type ProviderStart = { email: string } | { providerId: string };

type ProviderAnswer = { code: string; state: string; iss?: string };

/** Returns the URL of the identity provider's page. */
export type StartAtProvider = () => Promise<{ url: string }>;

export const startSingleSignOn = ({ area }: SignInArea, body: ProviderStart) =>
  change(nameIn(area, "sessions.startProviderSignIn"), { body });

/** Opens the identity provider's page. */
export function useStartSingleSignOn(area: SignInArea) {
  return useMutation({
    mutationFn: (body: ProviderStart) => startSingleSignOn(area, body),
    onSuccess({ url }) {
      sessionStorage.setItem(NEXT, area.nextPage(window.location));
      window.location.assign(url);
    },
  });
}

/** Opens the identity provider's page in a new window, so that this page keeps what was typed. */
export function useSignInInWindow() {
  return useMutation({
    async mutationFn(start: StartAtProvider) {
      // The new window gets a copy of the session storage. Browsers allow it only right after a click.
      sessionStorage.setItem(NEXT, AGAIN);
      const opened = window.open("", "_blank", "popup,width=520,height=720");
      sessionStorage.removeItem(NEXT);
      if (!opened) throw new PopUpBlocked();
      try {
        const { url } = await start();
        opened.location.href = url;
      } catch (error) {
        opened.close();
        throw error;
      }
    },
  });
}

/** Calls back when a window of `useSignInInWindow` has signed in. Returns the function that stops it. */
export function onSignedInInWindow(callback: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", callback);
  return () => channel.close();
}

/** Signs in with the provider's response. */
export function useFinishSingleSignOn({ area }: SignInArea) {
  return useMutation({
    mutationFn: (body: ProviderAnswer) => change(nameIn(area, "sessions.providerSignIn"), { body }),
    // The response doesn't name the user, and the drafts may belong to another one.
    onSuccess: clearDrafts,
  });
}

/**
 * Opens the page to continue at, with a full load that discards another user's data. In a window of `useSignInInWindow`,
 * notifies the page that opened it instead, and closes the window.
 *
 * @returns whether it is such a window; the browser may keep it open
 */
export function continueSignedIn(area: SignInArea): boolean {
  const next = sessionStorage.getItem(NEXT);
  const isWindow = next === AGAIN;
  sessionStorage.removeItem(NEXT);
  if (isWindow) {
    new BroadcastChannel(CHANNEL).postMessage(null);
    window.close();
  } else {
    window.location.replace(next ?? area.home);
  }
  return isWindow;
}

/** What a sign-in at the identity provider opens: the console, or `/account`. */
export type SignInArea = {
  area: Area;
  signInPage: string;
  /** The page to open after signing in: the one that the sign-in page names, or else the first page. */
  nextPage(location: Pick<Location, "search" | "hash">): string;
  home: string;
};

export const CONSOLE: SignInArea = {
  area: "console",
  signInPage: SIGN_IN,
  nextPage: ({ search, hash }) => nextPage(new URLSearchParams(search).get("next"), hash),
  home: HOME,
};

/**
 * How to sign in again with single sign-on: with the provider of the expired session or, if that began with a password that
 * the company no longer allows, with the one for the address. Null if the password is enough.
 */
export function providerToSignInAgain(
  providerId: string | null | undefined,
  { email, error }: { email: string; error: Error | null },
): ProviderStart | null {
  if (providerId) return { providerId };
  const isRejected = error instanceof ConsoleError && error.status === 403;
  return isRejected ? { email } : null;
}
