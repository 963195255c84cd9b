/** Warnings above the figures, for example that a feature may be the target itself. */
import { useView } from "../../view/use_view.tsx";

export function Alerts() {
  const alerts = useView().store.figures.value?.header.alerts ?? [];
  return (
    <div class="ice-alerts" role="status" data-test="alerts" hidden={alerts.length === 0}>
      {alerts.map((text) => (
        <p key={text} class="ice-alert">
          {text}
        </p>
      ))}
    </div>
  );
}
