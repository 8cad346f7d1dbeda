// Uploads a file of records to the API unchanged, then opens its import.

import { gettext } from "./language.js";
import { csrf, freshKey } from "./page.js";

/** Make the upload form work. */
function sendFiles() {
  const form = document.getElementById("upload");
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    upload(form);
  });
}

function upload(form) {
  const bar = form.querySelector("progress");
  const problem = form.querySelector(".problem");
  const request = new XMLHttpRequest();
  request.open("POST", `/api/v1/imports?mode=${encodeURIComponent(form.elements.mode.value)}`);
  request.setRequestHeader("Content-Type", "application/x-chess-pgn");
  request.setRequestHeader("X-CSRF-Token", csrf());
  request.setRequestHeader("Idempotency-Key", freshKey());
  request.responseType = "json";
  request.upload.onprogress = (event) => {
    bar.hidden = false;
    bar.max = event.total;
    bar.value = event.loaded;
  };
  request.onload = () => {
    if (request.status < 300) location.assign(`/imports/${request.response.id}`);
    else tell(problem, request.response?.detail ?? gettext("refused ({status})", { status: request.status }));
  };
  request.onerror = () => tell(problem, gettext("The connection was lost. Upload the file again: nothing is imported twice."));
  problem.hidden = true;
  request.send(form.elements.file.files[0]);
}

function tell(problem, text) {
  problem.textContent = text;
  problem.hidden = false;
}

sendFiles();
