import { Anchor, Button, Stack, Text, Title } from "@mantine/core";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useEffect, useRef, useState } from "react";

import { SecondFactorStep } from "#app/console/second-factors/second-factor-step.tsx";
import type { AskedFactors } from "#app/console/session.ts";
import { FormError } from "#app/console/ui/errors.tsx";
import { type GetText, useTexts } from "#app/console/ui/texts.tsx";

import {
  continueSignedIn,
  type SignInArea,
  useFinishSingleSignOn,
  useStartSingleSignOn,
} from "./queries.ts";

/** The page that the identity provider redirects to, and that a company's sign-in link (`?provider=`) opens. */
export function ProviderSignIn({ area }: { area: SignInArea }) {
  const text = useTexts();
  const search = useSearchParams();
  const [asked, setAsked] = useState<AskedFactors | null>(null);
  const [isDone, setIsDone] = useState(false);
  const handleSignedIn = () => setIsDone(continueSignedIn(area));
  if (isDone)
    return (
      <Stack gap="md">
        <Title order={1}>{text("sso.done")}</Title>
        <Text role="status">{text("sso.done.text")}</Text>
      </Stack>
    );
  if (asked)
    return (
      <Stack gap="md">
        <Title order={1}>{text("identity.title")}</Title>
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
      <Title order={1}>{text("sso.title")}</Title>
      <SignInPart area={area} search={search} onAsked={setAsked} onSignedIn={handleSignedIn} />
      <Anchor component={Link} href={area.signInPage} size="sm">
        {text("sso.back")}
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
  const text = useTexts();
  const provider = search.get("provider");
  if (provider !== null) return <ProviderStart area={rest.area} id={provider} />;
  if (search.has("code")) return <SignInProgress search={search} {...rest} />;
  return <Text role="alert">{explainProviderError(search, text)}</Text>;
}

/** Waits for a click, because anyone can link here and name a provider of their own. */
function ProviderStart({ area, id }: { area: SignInArea; id: string }) {
  const text = useTexts();
  const start = useStartSingleSignOn(area);
  return (
    <>
      <Text>{text("sso.start")}</Text>
      {start.error && <FormError error={start.error} />}
      <Button
        aria-busy={start.isPending}
        onClick={() => !start.isPending && start.mutate({ providerId: id })}
      >
        {text("continue")}
      </Button>
    </>
  );
}

function SignInProgress({ area, search, onAsked, onSignedIn }: PartProps) {
  const text = useTexts();
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
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  if (finish.error) return <FormError error={finish.error} />;
  return <Text role="status">{text("sso.pending")}</Text>;
}

/** The error that the provider appended to the URL (RFC 6749, 4.1.2.1). Anyone can write its description, so that isn't shown. */
function explainProviderError(search: URLSearchParams, text: GetText): string {
  const error = search.get("error");
  if (error === null) return text("sso.direct");
  if (error === "access_denied") return text("sso.denied");
  const code = /^\w{1,50}$/.test(error) ? ` (${error})` : "";
  return text("sso.failed", { code });
}
