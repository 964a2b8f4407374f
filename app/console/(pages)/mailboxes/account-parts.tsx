import type { ComponentType } from "react";

import { ForwardingForm } from "#app/account/(pages)/forwarding/forwarding.tsx";
import { VacationForm } from "#app/account/(pages)/vacation/vacation.tsx";
import { MailAppSettings } from "#app/account/set-up-guide.tsx";
import { TextsProvider } from "#app/console/ui/texts.tsx";
import { account } from "#server/universal/texts/en.ts";
import { ui } from "#server/universal/texts/en-ui.ts";

// Parts of `/account` that admins see, with its texts. Loaded when they are shown.

const TEXTS = { ...ui, ...account };

const inEnglish = <Props extends object>(Part: ComponentType<Props>) =>
  function EnglishPart(props: Props) {
    return (
      <TextsProvider texts={TEXTS}>
        <Part {...props} />
      </TextsProvider>
    );
  };

export const ForwardingPart = inEnglish(ForwardingForm);
export const VacationPart = inEnglish(VacationForm);
export const MailAppSettingsPart = inEnglish(MailAppSettings);
