import { Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { checkAccount } from "#app/console/(pages)/mailboxes/import-mail/queries.ts";
import { FormError } from "#app/console/ui/errors.tsx";
import { formatCount, pluralize } from "#app/console/ui/format.ts";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";

/** A test of the connection. `fail` shows an error that prevented it. */
export function useSourceCheck() {
  const [error, setError] = useState<Error | null>(null);
  const check = useMutation({ mutationFn: checkAccount, onMutate: () => setError(null) });
  return {
    mutate: check.mutate,
    isPending: check.isPending,
    data: check.data,
    error: error ?? check.error,
    fail(error: Error) {
      check.reset();
      setError(error);
    },
  };
}

/** What the last test found. */
export function SourceCheck({ check }: { check: ReturnType<typeof useSourceCheck> }) {
  if (check.error) return <FormError error={check.error} />;
  if (!check.data) return null;
  const { folders, messages } = check.data;
  return (
    <Stack gap="xs">
      <Text role="status">
        Connected: {pluralize(messages, "message")} in {pluralize(folders.length, "folder")}.
      </Text>
      <ItemList label="Folders on the old server">
        {folders.map(({ source, target, messages }) => (
          <ItemRow key={source} title={source} actions={formatCount(messages)}>
            {target !== source && `Into ${target}`}
          </ItemRow>
        ))}
      </ItemList>
    </Stack>
  );
}
