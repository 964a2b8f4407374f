import { Button } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { type MouseEvent, useEffect, useEffectEvent } from "react";

import { FormError } from "#app/console/ui/errors.tsx";
import { useTexts } from "#app/console/ui/texts.tsx";

import {
  onSignedInInWindow,
  type SignInArea,
  type StartAtProvider,
  useSignInInWindow,
  useStartSingleSignOn,
} from "./queries.ts";

type SingleSignOnButtonProps = { area: SignInArea; formId: string; field: string };

/**
 * Needs only the address in the sign-in form. Always shown, so that it doesn't reveal which addresses exist.
 *
 * @param field name of the form's field with the address
 */
export function SingleSignOnButton({ area, formId, field }: SingleSignOnButtonProps) {
  const text = useTexts();
  const start = useStartSingleSignOn(area);

  function handleClick({ currentTarget }: MouseEvent<HTMLButtonElement>) {
    const email = currentTarget.form?.elements.namedItem(field);
    if (!(email instanceof HTMLInputElement) || !email.reportValidity()) return;
    if (!start.isPending && !start.isSuccess) start.mutate({ email: email.value });
  }

  return (
    <>
      <FormError error={start.error} />
      <Button
        type="button"
        form={formId}
        variant="default"
        size="md"
        leftSection={<IconKey size={16} />}
        aria-busy={start.isPending || start.isSuccess}
        onClick={handleClick}
      >
        {text("sso.use")}
      </Button>
    </>
  );
}

type ProviderWindowButtonProps = { start: StartAtProvider; onSignedIn: () => void };

/** Signs in at the identity provider in a new window, so that the page keeps what was typed. */
export function ProviderWindowButton({ start, onSignedIn }: ProviderWindowButtonProps) {
  const text = useTexts();
  const signIn = useSignInInWindow();
  const handleSignedIn = useEffectEvent(onSignedIn);
  useEffect(() => onSignedInInWindow(() => handleSignedIn()), []);
  return (
    <>
      <FormError error={signIn.error} />
      <Button
        type="button"
        variant="default"
        leftSection={<IconKey size={16} />}
        aria-busy={signIn.isPending}
        data-mantine-stop-propagation="true"
        onClick={() => !signIn.isPending && signIn.mutate(start)}
      >
        {text("sso.use")}
      </Button>
    </>
  );
}
