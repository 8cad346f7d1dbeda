"""RQ jobs: work that a request must not wait for. Results go back as commands to `service`."""
