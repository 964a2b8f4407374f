import { useMutation } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { nextPage } from "#app/console/next-page.ts";
import { clearDrafts } from "#app/console/ui/form/drafts.ts";
import type { providerSignIn } from "#server/console/sessions/provider-sign-in.ts";
import type { startProviderSignIn } from "#server/console/sessions/start-provider-sign-in.ts";

const NEXT = "posthouse-next-page";

type ProviderStart = { email: string } | { provider_id: string };
type ProviderAnswer = { code: string; state: string; iss?: string };

/** Opens the identity provider's page. The tab's session storage keeps the page to open afterwards. */
export function useStartSingleSignOn() {
  return useMutation({
    mutationFn: (body: ProviderStart) =>
      call<typeof startProviderSignIn>("POST", "/console/api/sign-in/provider/start", { body }),
    onSuccess({ url }) {
      const { search, hash } = window.location;
      const next = new URLSearchParams(search).get("next");
      sessionStorage.setItem(NEXT, nextPage(next, hash));
      window.location.assign(url);
    },
  });
}

/** Signs in with the provider's response. */
export function useFinishSingleSignOn() {
  return useMutation({
    mutationFn: (body: ProviderAnswer): Promise<Answer<typeof providerSignIn>> =>
      call<typeof providerSignIn>("POST", "/console/api/sign-in/provider", { body }),
    // The response doesn't name the admin, and the drafts may belong to another one.
    onSuccess: clearDrafts,
  });
}

/** Opens the page to continue at, with a full load that discards another admin's data. */
export function openNextPage(): void {
  const next = sessionStorage.getItem(NEXT);
  sessionStorage.removeItem(NEXT);
  window.location.replace(next ?? nextPage(null));
}
