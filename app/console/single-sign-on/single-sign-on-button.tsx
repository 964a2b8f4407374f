"use client";

import { Button } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import type { MouseEvent } from "react";

import { FormError } from "#app/console/ui/errors.tsx";

import { useStartSingleSignOn } from "./queries.ts";
import type { SignInArea } from "./sign-in-area.ts";

/**
 * Needs only the address in the sign-in form. Always shown, so that it doesn't reveal which addresses exist.
 *
 * @param field name of the form's field with the address
 */
export function SingleSignOnButton({
  area,
  formId,
  field,
}: {
  area: SignInArea;
  formId: string;
  field: string;
}) {
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
        Use single sign-on
      </Button>
    </>
  );
}
