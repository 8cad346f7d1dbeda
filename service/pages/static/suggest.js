// Names that are suggested as one is typed.

const PAUSE = 150;
const SHOWN = 10;

/** Have the fields that ask for a player suggest the registered ones whose names begin so. */
function suggestPlayers() {
  for (const field of document.querySelectorAll("input[data-suggest]")) {
    let waiting;
    field.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => suggest(field), PAUSE);
    });
  }
}

async function suggest(field) {
  const typed = field.value.trim();
  if (!typed) return;
  try {
    const answer = await fetch(`/api/v1/players?limit=${SHOWN}&name=${encodeURIComponent(typed)}`);
    // What was typed since asks for other names.
    if (!answer.ok || field.value.trim() !== typed) return;
    const { items } = await answer.json();
    const options = items.filter((one) => one.claimed).map((one) => new Option(one.name, one.name));
    document.getElementById(field.dataset.suggest).replaceChildren(...options);
  } catch {
    // Without suggestions the name can still be typed.
  }
}

suggestPlayers();
