import { CodeSamples } from "#app/console/ui/tabs.tsx";

import { samples } from "./signature-sample-code.ts";

export function SignatureSamples() {
  return (
    <CodeSamples
      samples={samples}
      noun="receiver"
      setUp={
        <>
          Set the signing secret as <code>WEBHOOK_SECRET</code> in the environment.
        </>
      }
    />
  );
}
