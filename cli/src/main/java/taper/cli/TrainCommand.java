package taper.cli;

import picocli.CommandLine.Command;

/// Groups the trainings.
@Command(
    name = "train",
    description = "Trains a model.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "MODEL",
    subcommands = TrainMnistCommand.class)
final class TrainCommand {}
