"use client";

import { Anchor, Button, Stack, Text, Title } from "@mantine/core";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useEffect, useRef, useState } from "react";

import { SecondFactorStep } from "#app/console/second-factors/second-factor-step.tsx";
import type { AskedFactors } from "#app/console/session.ts";
import { FormError } from "#app/console/ui/errors.tsx";

import {
  continueSignedIn,
  type SignInArea,
  useFinishSingleSignOn,
  useStartSingleSignOn,
} from "./queries.ts";

/** The page that the identity provider redirects to, and that a company's sign-in link (`?provider=`) opens. */
export function ProviderSignIn({ area }: { area: SignInArea }) {
  const search = useSearchParams();
  const [asked, setAsked] = useState<AskedFactors | null>(null);
  const [isDone, setIsDone] = useState(false);
  const handleSignedIn = () => setIsDone(continueSignedIn(area));
  if (isDone)
    return (
      <Stack gap="md">
        <Title order={1}>You’re signed in</Title>
        <Text role="status">Close this window to continue where you were.</Text>
      </Stack>
    );
  if (asked)
    return (
      <Stack gap="md">
        <Title order={1}>Verify it’s you</Title>
        <SecondFactorStep
          asked={asked}
          area={area.area}
          onSignedIn={handleSignedIn}
          onRestart={() => window.location.replace(area.signInPage)}
        />
      </Stack>
    );
  return (
    <Stack gap="md">
      <Title order={1}>Single sign-on</Title>
      <SignInPart area={area} search={search} onAsked={setAsked} onSignedIn={handleSignedIn} />
      <Anchor component={Link} href={area.signInPage} size="sm">
        Back to sign-in
      </Anchor>
    </Stack>
  );
}

type PartProps = {
  area: SignInArea;
  search: URLSearchParams;
  onAsked: (asked: AskedFactors) => void;
  onSignedIn: () => void;
};

function SignInPart({ search, ...rest }: PartProps) {
  const provider = search.get("provider");
  if (provider !== null) return <ProviderStart area={rest.area} id={provider} />;
  if (search.has("code")) return <SignInProgress search={search} {...rest} />;
  return <Text role="alert">{explainProviderError(search)}</Text>;
}

/** Waits for a click, because anyone can link here and name a provider of their own. */
function ProviderStart({ area, id }: { area: SignInArea; id: string }) {
  const start = useStartSingleSignOn(area);
  return (
    <>
      <Text>
        Continue to your company’s identity provider. If you didn’t open this page yourself, close
        it.
      </Text>
      {start.error && <FormError error={start.error} />}
      <Button
        aria-busy={start.isPending}
        onClick={() => !start.isPending && start.mutate({ providerId: id })}
      >
        Continue
      </Button>
    </>
  );
}

function SignInProgress({ area, search, onAsked, onSignedIn }: PartProps) {
  const finish = useFinishSingleSignOn(area);
  const hasBegun = useRef(false);

  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    const iss = search.get("iss");
    const answer = { code: search.get("code") ?? "", state: search.get("state") ?? "" };
    finish.mutate(
      { ...answer, ...(iss !== null && { iss }) },
      {
        onSuccess: ({ secondFactor }) => (secondFactor ? onAsked(secondFactor) : onSignedIn()),
      },
    );
    // Runs once, because an authorization code can't be used twice.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  if (finish.error) return <FormError error={finish.error} />;
  return <Text role="status">Signing in…</Text>;
}

/** The error that the provider appended to the URL (RFC 6749, 4.1.2.1). Anyone can write its description, so that isn't shown. */
function explainProviderError(search: URLSearchParams): string {
  const error = search.get("error");
  if (error === null)
    return "You can’t open this page directly. Go back to sign-in, enter your email address, and click Use single sign-on.";
  if (error === "access_denied")
    return "Your identity provider didn’t sign you in. Sign in again, or ask its admin for access to Posthouse.";
  const code = /^\w{1,50}$/.test(error) ? ` (${error})` : "";
  return `Your identity provider reported an error${code}. Ask its admin to check the settings for Posthouse.`;
}
