import { Anchor } from "@mantine/core";

import { PrefetchLink } from "#app/console/ui/links.tsx";

/** An inline link to a console page. */
export function ConsoleLink({ to, children }: { to: string; children: string }) {
  return (
    <Anchor component={PrefetchLink} href={`/console/${to}`} inherit underline="always">
      {children}
    </Anchor>
  );
}
